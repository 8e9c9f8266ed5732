"""A chat model for tests: a small HTTP server on loopback that speaks ``/v1/chat/completions``.

Nothing is patched: the real client sends real requests, and this server answers from a script::

    with ScriptedModel(lambda request: Reply.answer({"next": "COMPLETE"})) as model:
        mind = make_mind("openai:scripted", model.settings(tmp_path))

The script is a callable ``Request -> Reply`` or a list of replies, used in order. `by_policy` makes one from the
roles' own rules, which drives a whole graph through the client. A `Request` knows

- ``role``: the call's name, from the name of the schema or the tool (``lab_calibration-decide`` ->
  ``lab_calibration.decide``);
- ``input``: the fields that the prompt renders with ``| data("field")``, parsed again;
- ``free``: the model may choose among ``tools``, as an agent at work; ``results`` is what they answered so far;
- ``schema``, ``images`` (bytes), ``system``, ``user`` (first user message), ``complaints`` (the repair messages),
  ``method`` (``json_schema``, ``tools`` or ``text``) and the whole ``body``.

The server is as strict as the real one: an invalid strict schema gets a 400. It counts what it answered in ``spent``;
a reply that the client did not wait for is not counted. An exception in the script makes the test fail on exit.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from strict_schema import strict_faults

from labwright.agents.settings import Settings
from labwright.agents.typed_call import AgentCall, Question, Refusal
from labwright.prompts import read_blocks

IMAGE_TOKENS = 85  # flat rate for one picture
BOUND = 1000  # requests; a script in a loop ends here


@dataclass(frozen=True)
class Request:
    """One chat completion request, taken apart."""

    body: dict[str, Any]
    number: int  # 0 for the first request of this server

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def method(self) -> str:
        if self.body.get("response_format"):
            return "json_schema"
        return "tools" if self.body.get("tools") and not self.free else "text"

    @property
    def free(self) -> bool:
        """Whether the model may choose among tools, as in a loop of tools, and is not made to call one."""
        return bool(self.body.get("tools")) and self.body.get("tool_choice", "auto") == "auto"

    @property
    def tools(self) -> list[str]:
        """Names of the tools that are offered."""
        return [one["function"]["name"] for one in self.body.get("tools", [])]

    @property
    def results(self) -> list[str]:
        """What the tools answered so far, in order."""
        return [_text(m) for m in self.messages if m["role"] == "tool"]

    @property
    def _form(self) -> dict[str, Any]:
        if self.method == "json_schema":
            return dict(self.body["response_format"]["json_schema"])
        return dict(self.body["tools"][0]["function"]) if self.method == "tools" else {}

    @property
    def role(self) -> str:
        return str(self._form.get("name", "")).replace("-", ".")

    @property
    def schema(self) -> dict[str, Any]:
        return dict(self._form.get("schema") or self._form.get("parameters") or {})

    @property
    def system(self) -> str:
        return "\n\n".join(_text(m) for m in self.messages if m["role"] == "system")

    @property
    def _users(self) -> list[dict[str, Any]]:
        return [m for m in self.messages if m["role"] == "user"]

    @property
    def user(self) -> str:
        return _text(self._users[0])

    @property
    def complaints(self) -> list[str]:
        return [_text(m) for m in self._users[1:]]

    @property
    def input(self) -> dict[str, Any]:
        return read_blocks(self.user)

    @property
    def images(self) -> list[bytes]:
        parts = [p for m in self._users if isinstance(m["content"], list) for p in m["content"]]
        urls = [p["image_url"]["url"] for p in parts if p["type"] == "image_url"]
        return [base64.b64decode(url.partition("base64,")[2]) for url in urls]


@dataclass(frozen=True)
class Reply:
    """What the server does with one request."""

    content: Any = None  # text as it stands, or an object sent as JSON
    status: int = 200
    finish: str = "stop"  # "length" for a truncated reply
    refusal: str | None = None  # the protocol's own refusal field
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before anything is sent
    drop: bool = False  # close the connection without a word
    usage: bool = True  # report tokens
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()  # tools to use, with their arguments

    @classmethod
    def answer(cls, value: BaseModel | dict[str, Any], **more: Any) -> Reply:
        """A reply with an answer."""
        plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
        return cls({"answer": plain, "question": None, "refusal": None}, **more)

    @classmethod
    def use(cls, tool: str, **arguments: Any) -> Reply:
        """A reply that uses one tool."""
        return cls("", calls=((tool, arguments),), finish="tool_calls")

    @classmethod
    def question(cls, text: str, options: Iterable[str] = ()) -> Reply:
        """A reply that asks."""
        return cls({"answer": None, "question": {"text": text, "options": list(options)}, "refusal": None})

    @classmethod
    def refuse(cls, reason: str) -> Reply:
        """A reply that refuses."""
        return cls({"answer": None, "question": None, "refusal": {"reason": reason}})

    @classmethod
    def error(cls, status: int, message: str = "scripted error", retry_after: float | None = None) -> Reply:
        """An HTTP error, with Retry-After in seconds where given."""
        headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
        return cls({"error": {"message": message, "type": "scripted", "code": None}}, status=status, headers=headers)


@dataclass
class Spent:
    """What the server's answered requests cost."""

    replies: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    image_tokens: int = 0


def by_policy(*calls: AgentCall[Any, Any]) -> Callable[[Request], Reply]:
    """A script that answers each role with its own policy, from nothing but the text of the prompt."""
    known = {call.name: call for call in calls}

    def script(request: Request) -> Reply:
        call = known[request.role]
        reply = call.policy(call.input.model_validate(request.input))
        if isinstance(reply, Question):
            return Reply.question(reply.text, reply.options)
        return Reply.refuse(reply.reason) if isinstance(reply, Refusal) else Reply.answer(reply)

    return script


class ScriptedModel:
    """The server; use it as a context manager.

    Args:
        script: ``Request -> Reply``, or replies in order.
        methods: ways of structured output that the server knows; others get a 400.
        key: API key that the server wants; None takes any.
        name: model that the server knows.
    """

    def __init__(
        self,
        script: Callable[[Request], Reply] | Iterable[Reply],
        methods: Iterable[str] = ("json_schema", "tools", "text"),
        key: str | None = None,
        name: str = "scripted",
    ) -> None:
        self.methods, self.key, self.name = tuple(methods), key, name
        self.requests: list[Request] = []
        self.times: list[float] = []  # arrival of each request, monotonic seconds
        self.spent = Spent()
        self.faults: list[BaseException] = []
        self._script = script if callable(script) else _in_order(list(script))
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def settings(self, folder: Path, **more: Any) -> Settings:
        """Settings that point at this server, with the cache below `folder`; ``retries`` is 0 unless given."""
        given = {"base_url": self.url, "state": folder, "retries": 0, "timeout": 10.0, **more}
        return Settings(_env_file=None, **given)

    def __enter__(self) -> ScriptedModel:
        model = self

        class Handler(_Handler):
            owner = model

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
        if self.faults and kind is None:
            raise self.faults[0]

    def decide(self, body: dict[str, Any], key: str) -> tuple[Request, Reply]:
        """The reply to one request: the server's own objections first, then the script."""
        with self._lock:
            request = Request(body, len(self.requests))
            self.requests.append(request)
            self.times.append(time.monotonic())
        objection = self._objection(request, key)
        if objection is not None:
            return request, objection
        try:
            return request, self._script(request)
        except Exception as fault:  # noqa: BLE001 - raised again on exit, where the test sees it
            self.faults.append(fault)
            return request, Reply.error(500, f"script failed: {fault!r}")

    def _objection(self, request: Request, key: str) -> Reply | None:
        if request.number >= BOUND:
            return Reply.error(500, f"more than {BOUND} requests")
        if self.key is not None and key != f"Bearer {self.key}":
            return Reply.error(401, f"Incorrect API key provided: {key}")
        if request.body["model"] != self.name:
            return Reply.error(404, f"The model `{request.body['model']}` does not exist")
        if request.method not in self.methods and not request.free:
            word = {"json_schema": "response_format", "tools": "tools"}.get(request.method, "text")
            return Reply.error(400, f"{word} is not supported by this server")
        faults = strict_faults(request.schema) if request.schema else []
        return Reply.error(400, f"Invalid schema: {faults}") if faults else None

    def count(self, usage: dict[str, Any]) -> None:
        """Add a reply that is about to be sent to a client that waits for it."""
        with self._lock:
            self.spent.replies += 1
            self.spent.input_tokens += usage["prompt_tokens"]
            self.spent.output_tokens += usage["completion_tokens"]
            self.spent.image_tokens += usage["prompt_tokens_details"]["image_tokens"]

    def wait(self, seconds: float) -> None:
        """Sleep, but not beyond the end of the test."""
        self._stopped.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay quiet about clients that hung up."""


class _Handler(BaseHTTPRequestHandler):
    owner: ScriptedModel
    protocol_version = "HTTP/1.0"  # one connection a request: none outlives the server in the client's pool

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            return self._send(404, {"error": {"message": f"Invalid URL {self.path}"}}, {})
        request, reply = self.owner.decide(body, self.headers.get("Authorization", ""))
        self.owner.wait(reply.delay)
        if reply.drop or self._hung_up():
            self.close_connection = True
            return None
        if reply.status != 200:
            return self._send(reply.status, reply.content, reply.headers)
        completion = _completion(request, reply)
        self.owner.count(completion["usage"])  # before sending: the test may compare as soon as it has the reply
        if not reply.usage:
            del completion["usage"]
        if body.get("stream"):
            return self._stream(completion, body)
        return self._send(200, completion, reply.headers)

    def _hung_up(self) -> bool:
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _send(self, status: int, value: Any, headers: dict[str, str]) -> None:
        payload = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", "Content-Length": str(len(payload)), **headers}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(payload)
        self.wfile.flush()

    def _stream(self, completion: dict[str, Any], body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in _chunks(completion, bool((body.get("stream_options") or {}).get("include_usage"))):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.wfile.flush()
        self.close_connection = True


def _in_order(replies: list[Reply]) -> Callable[[Request], Reply]:
    lock = threading.Lock()

    def script(request: Request) -> Reply:
        with lock:
            if not replies:
                raise AssertionError(f"The script has no reply left for request {request.number} ({request.role}).")
            return replies.pop(0)

    return script


def _completion(request: Request, reply: Reply) -> dict[str, Any]:
    text = reply.content if isinstance(reply.content, str) else json.dumps(reply.content)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if reply.refusal is not None:
        message = {"role": "assistant", "content": None, "refusal": reply.refusal}
    elif reply.calls:
        message = {"role": "assistant", "content": text or None, "tool_calls": _tool_calls(request, reply)}
        text += json.dumps([arguments for _, arguments in reply.calls])
    elif request.method == "tools":
        function = {"name": request.body["tools"][0]["function"]["name"], "arguments": text}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"call_{request.number}", "type": "function", "function": function}],
        }
    return {
        "id": f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": 0,
        "model": request.body["model"],
        "choices": [{"index": 0, "finish_reason": reply.finish, "message": message}],
        "usage": _usage(request, text),
    }


def _tool_calls(request: Request, reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{request.number}_{place}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(reply.calls)
    ]


def _usage(request: Request, text: str) -> dict[str, Any]:
    images = IMAGE_TOKENS * len(request.images)
    prompt = sum(len(_text(m)) for m in request.messages) // 4 + images
    output = max(1, len(text) // 4)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"image_tokens": images},
    }


def _chunks(completion: dict[str, Any], include_usage: bool) -> Iterable[dict[str, Any]]:
    choice = completion["choices"][0]
    base = {**{k: completion[k] for k in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    message = choice["message"]
    text = message.get("content") or ""
    pieces = [{"content": text[i : i + 16]} for i in range(0, len(text), 16)]
    if "tool_calls" in message:
        pieces = [{"tool_calls": [{"index": 0, **message["tool_calls"][0]}]}]
    for delta in [{"role": "assistant", "content": ""}, *pieces]:
        yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if include_usage and "usage" in completion:
        yield {**base, "choices": [], "usage": completion["usage"]}


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")
