"""A chat model on loopback that reads two requests rightly and, from one request on, fails in a drawn way."""

from __future__ import annotations

import importlib
import json
import pkgutil
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from pydantic import BaseModel

from labwright.agents.typed_call import AgentCall, Question, Refusal
from labwright.evaluation.faults.small_runs import PROTOCOL
from labwright.prompts import read_blocks

# What a server does instead of answering; `lies` are about what the reply cost.
FAILURES = (
    "stalls", "trickles", "closes", "closes midway", "garbage", "no JSON object", "endless", "wrong fields",
    "empty choices", "other answer", "repeats", "500", "429", "429 for a day", "429 nonsense", "lies", "lies in words",
)  # fmt: skip
STALL = 3.0  # s; the client waits for one
PLANNED = {
    "mode": "calibrate",
    "scope": "steps",
    "qubits": [],
    "couplers": [],
    "approval": "as the run says",
    "steps": [{"words": "How long does Q1 live?", "card": "t1", "other": "", "qubits": ["Q1"], "rules": []}],
    "left_out": [],
}
TRANSLATED = {
    "steps": [
        {"number": 1, "outcome": "call", "parameters": [], "writes": "settings", "repeats": -1, "on": [], "open": ""}
    ]
}
ANSWERS: dict[str, dict[str, Any]] = {
    "lab_calibration.plan": PLANNED,
    "lab_calibration.translate": TRANSLATED,
    "understand.cover": {"findings": []},
    "protocol_design.draft": {
        "protocol": PROTOCOL,
        "sources": ["groups.0.total_volume = 1 mL"],
        "assumed": [],
        "left_out": [],
    },
    "understand.repair": {"reason": "As the words say.", "patches": []},
    "understand.correct": {"reason": "As the words say.", "patches": [], "overruled": [], "then": "ask"},
}


class FaultyModel:
    """A server of chat completions; use it as a context manager.

    Args:
        failure: one of `FAILURES`; empty for none.
        at: number of the request at which it begins, from 1.
        times: how many requests it hits.
    """

    def __init__(self, failure: str = "", at: int = 1, times: int = 1) -> None:
        self.failure, self.at, self.times = failure, at, times
        self.asked = 0
        self.roles: list[str] = []
        self.last = b"{}"
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def failing(self) -> str:
        """How this request fails; empty if it does not."""
        with self.lock:
            self.asked += 1
            return self.failure if self.at <= self.asked < self.at + self.times else ""


class _Handler(BaseHTTPRequestHandler):
    owner: FaultyModel
    protocol_version = "HTTP/1.0"

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.owner.roles.append(_role_of(body))
        failure = self.owner.failing()
        with suppress(BrokenPipeError, ConnectionResetError):  # the client did not wait
            self._fail(failure, body) if failure else self._send(_right(body))

    def _send(self, payload: bytes, status: int = 200, headers: dict[str, str] | None = None, less: int = 0) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload[: len(payload) - less])
        if status == 200:
            self.owner.last = payload

    def _fail(self, failure: str, body: dict[str, Any]) -> None:
        if failure == "closes":
            return
        if failure in ("stalls", "trickles", "endless"):
            self._slowly(failure)
        elif failure in WRONG_STATUS:
            status, wait = WRONG_STATUS[failure]
            self._send(b'{"error": {"message": "scripted"}}', status, {"Retry-After": wait} if wait else {})
        elif failure == "closes midway":
            self._send(right := _right(body), less=len(right) // 2)
        elif failure == "repeats":
            self._send(self.owner.last)
        else:
            self._send(_wrong(failure, json.loads(_right(body))))

    def _slowly(self, failure: str) -> None:
        if failure == "stalls":
            time.sleep(STALL)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        for piece in _pieces(failure):
            self.wfile.write(piece)
            self.wfile.flush()


WRONG_STATUS = {
    "500": (500, ""),
    "429": (429, "0.1"),
    "429 for a day": (429, "86400"),
    "429 nonsense": (429, "tomorrow"),
}


def _pieces(failure: str) -> Iterator[bytes]:
    """A byte now and then for longer than the client waits, or more than it should read."""
    for _ in range(50 if failure == "trickles" else 10**6):
        if failure == "trickles":
            time.sleep(0.2)
            yield b" "
        else:
            yield b"x" * 2**18


def _right(body: dict[str, Any]) -> bytes:
    role = _role_of(body)
    answer = ANSWERS.get(role)
    content = {"answer": answer, "question": None, "refusal": None} if answer else _by_policy(role, _data_of(body))
    return json.dumps(_completion(body["model"], json.dumps(content))).encode()


def _by_policy(role: str, user: str) -> dict[str, Any]:
    """What the role's own policy answers to the data of a request."""
    call = _calls()[role]
    reply = call.policy(call.input.model_validate(read_blocks(user)))
    field = "question" if isinstance(reply, Question) else "refusal" if isinstance(reply, Refusal) else "answer"
    assert isinstance(reply, BaseModel)
    return {"answer": None, "question": None, "refusal": None, field: reply.model_dump(mode="json")}


def _role_of(body: Mapping[str, Any]) -> str:
    """Which typed call a request is, from the name of its schema or of its one tool; ``free`` for an agent at work."""
    form = (body.get("response_format") or {}).get("json_schema") or {}
    if not form and body.get("tools") and body.get("tool_choice", "auto") != "auto":
        form = body["tools"][0]["function"]
    return str(form.get("name", "free")).replace("-", ".")


def _data_of(body: Mapping[str, Any]) -> str:
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


def _completion(model: str, content: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {
        "id": "faulty",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }


def _wrong(failure: str, right: dict[str, Any]) -> bytes:
    if failure == "garbage":
        return bytes(range(256)) * 8
    if failure == "no JSON object":
        return b"[1, 2]"
    if failure == "empty choices":
        return json.dumps({**right, "choices": []}).encode()
    if failure.startswith("lies"):
        most = "many" if failure == "lies in words" else -(10**9)
        return json.dumps(
            {**right, "usage": {"prompt_tokens": most, "completion_tokens": most, "total_tokens": 3}}
        ).encode()
    said = '{"answer": {"sugar": 1}, "question": null}' if failure == "wrong fields" else "Certainly! Here it is:"
    return json.dumps(_completion(right["model"], said)).encode()
