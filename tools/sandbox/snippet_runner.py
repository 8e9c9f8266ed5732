"""A function to serve that does whatever its request says: for the canary and the tests of the walls."""

from __future__ import annotations

from typing import Any


def run_snippet(request: dict[str, Any]) -> dict[str, Any]:
    """Run ``source`` with ``given``; the reply is what it puts into ``answer``.

    Only ever served by a sandbox: it runs anything.
    """
    names: dict[str, Any] = {"given": request.get("given", {}), "answer": {}}
    exec(compile(request["source"], "snippet", "exec"), names)
    return {"answer": names["answer"]}
