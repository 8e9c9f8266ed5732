"""``record:DIR,provider:name``: the model answers as ever, and every exchange with it is kept in DIR."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from langchain_core.outputs import ChatResult

from labwright import prompts
from labwright.agents.errors import ModelUnavailable
from labwright.agents.meter import Usage
from labwright.agents.recordings.exchange import Json, failure_of, lines_of, message_from, reply_of
from labwright.agents.recordings.manifest import (
    MANIFEST,
    Answering,
    Manifest,
    alone,
    exchanges_in,
    load_manifest,
    save_manifest,
)
from labwright.agents.recordings.redaction import Names, machine
from labwright.agents.settings import Settings
from labwright.agents.structured_output_chat import usage_of
from labwright.tools.code_version import commit

Pricing = Callable[[str, Usage], float | None]


class Recorder:
    """Keeps exchanges in a folder. Any number of them, in threads and processes, may write to the same folder.

    Answers from the disk cache are not exchanges, so the cache has to be off while one records.

    Args:
        folder: made if it is missing; a recording of the same model that lies there goes on.
        model: the default for every tier.
        settings: of the models.
        pricing: cost of a usage for a model, None if unknown.

    Raises:
        ModelUnavailable: the folder holds a recording of another model.
    """

    def __init__(self, folder: Path, model: str, settings: Settings, pricing: Pricing) -> None:
        self.folder, self._pricing, self._machine = folder, pricing, machine(settings)
        folder.mkdir(parents=True, exist_ok=True)
        with alone(folder):
            if not (folder / MANIFEST).exists():
                save_manifest(folder, _begun(model, settings))
            found = load_manifest(folder)
            if found.model != model:
                raise ModelUnavailable(
                    f"{folder} holds a recording of {found.model}. Record {model} in another folder."
                )
            last = exchanges_in(folder).last()
            if found.totals.calls != (int(last["seq"]) if last else 0):  # a kill came between a line and its count
                found.totals, found.characters_in, found.characters_out = Usage(), 0, 0
                for one in exchanges_in(folder).read():
                    self._count(found, one)
                save_manifest(folder, found)

    def exchange(self, model: str, request: Json, ask: Callable[[], ChatResult]) -> ChatResult:
        """Ask, and keep what was asked and what came; see `record_replay_chat_model.Keeper`."""
        began = time.perf_counter()
        try:
            result = ask()
        except Exception as error:
            self._keep(model, request, {"failure": failure_of(error)}, began)
            raise
        self._keep(model, request, {"reply": reply_of(result)}, began)
        return result

    def _keep(self, model: str, request: Json, ended: Json, began: float) -> None:
        path = Path(request.get("prompt", ""))
        shown = {**request, **({"prompt": path.name} if path.is_absolute() else {})}
        names = Names(self._machine)
        one = {"model": model, **names.of_request(shown), **names.of_reply(ended)}
        one["seconds"] = round(time.perf_counter() - began, 3)
        with alone(self.folder):
            exchanges_in(self.folder).append(one)
            manifest = load_manifest(self.folder)
            self._count(manifest, one)
            for name in (str(path), prompts.REPLY) if one.get("prompt") else ():
                manifest.prompts[Path(name).name if path.is_absolute() else name] = prompts.sha256(name)
            save_manifest(self.folder, manifest)

    def _count(self, manifest: Manifest, one: Json) -> None:
        usage = Usage(failures=1)
        if "reply" in one:
            reply = one["reply"]
            usage = usage_of(message_from(reply))
            usage.cost = self._pricing(one["model"], usage)
            manifest.characters_out += len(str(reply["content"])) + sum(len(str(one)) for one in reply["tool_calls"])
        usage.images = json.dumps(one["messages"]).count("sha256:")
        usage.calls, usage.repairs, usage.seconds = 1, int(one.get("attempt", 1) > 1), one["seconds"]
        manifest.totals.add(usage)
        manifest.characters_in += sum(len(line) + 1 for line in lines_of(one))


def _begun(model: str, settings: Settings) -> Manifest:
    return Manifest(
        date=datetime.now(UTC).date().isoformat(),
        commit=commit(),
        model=model,
        who_answered=settings.answered_by or model,
        answering=Answering.model_validate(settings),
    )
