"""What agents advised a search, kept beside its action: a search that is taken up again asks nothing twice."""

from __future__ import annotations

import hashlib
from typing import Any

from pydantic import BaseModel

from labwright.agents.typed_call import AgentCall
from labwright.graphs.lab_calibration.run_context import Laboratory
from labwright.tools.runs.hashed_files import read_json


class Remembered:
    """Asks the agents of one action, and finds what they answered to the same question before.

    A lane of a chip comes to its search again with every acquisition, and a resumed run once; a model that then
    answered otherwise would be given the data of another drive.
    """

    def __init__(self, lab: Laboratory, key: str) -> None:
        self._lab, self._path = lab, lab.run.folder / "advice" / f"{key}.json"
        known = read_json(self._path, "Remove it; the agents are then asked anew.") if self._path.exists() else {}
        self._known: dict[str, Any] = dict(known)

    def ask(self, call: AgentCall[Any, Any], given: BaseModel) -> object:
        """The answer of `call` to `given`; a question or a refusal is not kept."""
        name = hashlib.sha256(f"{call.name} {given.model_dump_json()}".encode()).hexdigest()[:24]
        if name in self._known:
            return call.output.model_validate(self._known[name])
        answer = self._lab.ask(call, given)
        if isinstance(answer, call.output):
            self._known[name] = answer.model_dump(mode="json")
            self._lab.run.save_json(self._path.relative_to(self._lab.run.folder).as_posix(), self._known)
        return answer
