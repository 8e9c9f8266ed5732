"""Run folders: durable, atomic, readable without us."""

from labwright.tools.atomic_files import write_atomic
from labwright.tools.process_file_lock import Lease, holder_of
from labwright.tools.runs.action_journal import Action, action_key
from labwright.tools.runs.events import EventLog
from labwright.tools.runs.hashed_files import ArtifactRef, read_json, to_json
from labwright.tools.runs.kill_points import crash_point
from labwright.tools.runs.listing import RunSummary, list_runs, read_result, summarise
from labwright.tools.runs.pause_request import clear_pause, pause_requested, request_pause
from labwright.tools.runs.run import Run, RunRecord, account, create_run, load_run, open_run, run_ids, runs_root

__all__ = [
    "Action",
    "ArtifactRef",
    "EventLog",
    "Lease",
    "Run",
    "RunRecord",
    "RunSummary",
    "account",
    "action_key",
    "clear_pause",
    "crash_point",
    "create_run",
    "holder_of",
    "list_runs",
    "load_run",
    "open_run",
    "pause_requested",
    "read_json",
    "read_result",
    "request_pause",
    "run_ids",
    "runs_root",
    "summarise",
    "to_json",
    "write_atomic",
]
