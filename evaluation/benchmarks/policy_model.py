"""A chat model on loopback that answers every typed call as the rules do, and keeps what it was asked.

It stands where a paid model would stand, so that a run's requests can be counted: the real client sends them, every
byte of them, and the answers are right and free. A figure is looked at by nobody: the answer is "unclear".
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.lab_calibration.inspect_result import LOOK, FigureOut
from labwright.prompts import read_blocks

SPEC = "openai:policy"  # what a run's mind is called while this server answers
UNSEEN = FigureOut(observations="Nobody looked at the figure.", verdict="unclear")


class LoopbackModel:
    """A server of chat completions on loopback; use it as a context manager. Its handler finds it as `owner`."""

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """The class that answers a request."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        handler = type("Handler", (self.handler(),), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class PolicyModel(LoopbackModel):
    """The server; use it as a context manager. `bodies` holds every request, in order of arrival."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """That of this module."""
        return _Handler

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The completion for one request."""
        with self._lock:
            self.bodies.append(body)
        text = json.dumps(answer_by_policy(role_of(body), data_of(body)))
        message = {"role": "assistant", "content": text}
        return {
            "id": f"policy-{len(self.bodies)}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }

    def write(self, path: Path) -> None:
        """All requests, one a line."""
        path.write_text("".join(json.dumps(body) + "\n" for body in self.bodies), encoding="utf-8")


class _Handler(BaseHTTPRequestHandler):
    owner: PolicyModel
    protocol_version = "HTTP/1.0"

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        payload = json.dumps(self.owner.reply(body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


@contextmanager
def pointed_at(model: PolicyModel, state: Path, vision: bool) -> Iterator[None]:
    """The settings of this process name `model`, as a person's environment would."""
    given = {"LABWRIGHT_BASE_URL": model.url, "LABWRIGHT_API_KEY": "none", "LABWRIGHT_STATE": str(state)}
    given |= {"LABWRIGHT_MODEL_VISION": SPEC} if vision else {}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def role_of(body: Mapping[str, Any]) -> str:
    """Which typed call a request is, from the name of its schema or of its one tool; ``free`` for an agent at work."""
    form = (body.get("response_format") or {}).get("json_schema") or {}
    if not form and body.get("tools") and body.get("tool_choice", "auto") != "auto":
        form = body["tools"][0]["function"]
    return str(form.get("name", "free")).replace("-", ".")


def answer_by_policy(role: str, user: str) -> dict[str, Any]:
    """What the role's own policy answers to the data of a request."""
    call = _calls()[role]
    reply = UNSEEN if call is LOOK else call.policy(call.input.model_validate(read_blocks(user)))
    field = "question" if isinstance(reply, Question) else "refusal" if isinstance(reply, Refusal) else "answer"
    assert isinstance(reply, BaseModel)
    return {"answer": None, "question": None, "refusal": None, field: reply.model_dump(mode="json")}


def data_of(body: Mapping[str, Any]) -> str:
    """The first user message of a request: the data. Later ones are complaints."""
    content = next(message["content"] for message in body["messages"] if message["role"] == "user")
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


@cache
def _calls() -> dict[str, AgentCall[Any, Any]]:
    """Every typed call of the calibration's agents."""
    found: dict[str, AgentCall[Any, Any]] = {}
    package = importlib.import_module("labwright.agents.lab_calibration")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, AgentCall):
                found[value.name] = value
    return found
