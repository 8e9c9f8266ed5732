"""A chat model on loopback that reads two requests rightly and, from one request on, fails in a drawn way."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

from labwright.evaluation.benchmarks.policy_model import LoopbackModel, answer_by_policy, data_of, role_of
from labwright.evaluation.faults.small_runs import PROTOCOL

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
}


class FaultyModel(LoopbackModel):
    """The server; use it as a context manager.

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

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """That of this module."""
        return _Handler

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
        self.owner.roles.append(role_of(body))
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
    role = role_of(body)
    answer = ANSWERS.get(role)
    content = {"answer": answer, "question": None, "refusal": None} if answer else answer_by_policy(role, data_of(body))
    return json.dumps(_completion(body["model"], json.dumps(content))).encode()


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
