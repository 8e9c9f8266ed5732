"""A suite and its recorded run: what belongs to the recording, and the same cases once more with another model.

A suite that is recorded or replayed runs in one process, case by case: equal requests of two cases are then answered
in the order in which they were recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from pathlib import Path
from typing import Any

from labwright.agents.backend_selection import price
from labwright.agents.meter import Usage
from labwright.agents.recordings.manifest import Manifest, alone, load_manifest, save_manifest
from labwright.agents.recordings.record_replay_model_spec import Source
from labwright.agents.recordings.redaction import Names, machine
from labwright.agents.recordings.replay import open_replay
from labwright.agents.settings import Settings
from labwright.evaluation import suites
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import plain, read_json, to_json

Runner = Callable[..., dict[str, Any]]
RESULT = "result.json"
NOT_KEPT = ("mind", "on_progress", "out", "workers", "fresh", "answered_by")  # of the options: they change no request
CHARACTERS_A_TOKEN = 4  # where a server did not count


def run_suite(name: str, run: Runner = suites.run, **options: Any) -> dict[str, Any]:
    """Run a suite. A recorded one leaves its name, options and result with the recording.

    Raises:
        InputError: a suite was recorded there already, or an option names a folder of this machine by its whole path.
        RecordingMismatch: a replay missed a request, or left exchanges over.
    """
    spec = options.get("mind")
    source = Source.of(spec if isinstance(spec, str) else "rules")
    if not source.kind:
        return run(name, **options)
    options |= {"workers": 0, "fresh": True}
    if (source.folder / RESULT).exists() and source.kind == "record":
        raise InputError(f"{source.folder} holds a whole recording of a suite. Record {name} in another folder.")
    kept = _kept_options(options) if source.kind == "record" else {}
    result = run(name, **options)
    if source.kind == "replay":
        open_replay(source.folder.absolute()).check()
    else:
        _keep(source.folder, name, kept, result)
    return result


def estimated(manifest: Manifest, spec: str, settings: Settings, share: float = 1.0) -> Usage:
    """What the recorded requests would cost with the model of `spec`: calls, tokens, and money if its price is known.

    Tokens are those that the server counted then, or a quarter of the characters. A replay costs nothing. `share` is
    the part of the cases that is run; all are taken to cost the same.
    """
    source, total = Source.of(spec), manifest.totals
    usage = Usage(calls=total.calls, input_tokens=total.input_tokens, output_tokens=total.output_tokens)
    if total.unknown:
        usage.input_tokens = manifest.characters_in // CHARACTERS_A_TOKEN
        usage.output_tokens = manifest.characters_out // CHARACTERS_A_TOKEN
    usage.calls, usage.input_tokens, usage.output_tokens = (
        ceil(share * count) for count in (usage.calls, usage.input_tokens, usage.output_tokens)
    )
    if source.kind != "replay" and source.model != "rules":
        usage.cost = price(settings, source.model, usage)
    return usage


def reproduce(manifest: Manifest, run: Runner, spec: str, **more: Any) -> dict[str, Any]:
    """The recorded suite and cases with the model of `spec`.

    Args:
        manifest: of the recording.
        run: the suite runner, `labwright.evaluation.suites.run`.
        spec: of the model.
        more: options that change no request, such as `on_progress`, and `limit`.

    Raises:
        InputError: the recording is not one of a suite.
    """
    if not manifest.suite:
        raise InputError(
            "The recording is not one of a suite. Record one with `labwright eval SUITE --model record:DIR,...`."
        )
    return run_suite(manifest.suite, run, mind=spec, **{**manifest.options, **more})


def recorded_result(folder: Path) -> dict[str, Any]:
    """What the recorded run of the suite gave."""
    return read_json(folder / RESULT, "Record the suite again.")


def _kept_options(options: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in options.items() if name not in NOT_KEPT and value is not None}
    for name, value in kept.items():
        if isinstance(value, Path):
            kept[name] = str(value)
            if value.is_absolute():
                raise InputError(f"Option `{name}` must be relative to this folder to be recorded, but is {value}.")
    return dict(plain(kept))


def _keep(folder: Path, name: str, options: dict[str, Any], result: dict[str, Any]) -> None:
    with alone(folder):
        manifest = load_manifest(folder)
        manifest.suite, manifest.options = name, options
        manifest.seeds = result["seeds"]
        save_manifest(folder, manifest)
    write_atomic(folder / RESULT, to_json(Names(machine(Settings())).of_request(plain(result))))
