"""The arena as tasks of inspect-ai: ``inspect eval task.py --model PROVIDER/NAME``.

inspect-ai may live in an environment of its own: the bench is the program ``labwright arena serve``, which is found on
the path or named by the environment variable LABWRIGHT. `tasks.json` and `arena.secret` lie beside this file; the model
has the bench's tools only.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.agent import react, run
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.tool import mcp_server_stdio

HERE = Path(__file__).parent
LISTED = json.loads((HERE / "tasks.json").read_text(encoding="utf-8"))


@solver
def calibrate(most_messages: int = 100):
    """A loop of tools on the device of the sample; its grade is read when the bench has closed."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with tempfile.TemporaryDirectory() as folder:
            grades = Path(folder) / "grades.jsonl"
            secret = Path(folder) / "arena.secret"  # a copy, so that every epoch may serve the device once
            secret.write_text((HERE / "arena.secret").read_text(encoding="ascii"), encoding="ascii")
            arguments = [*state.metadata["serve"], "--secret", str(secret), "--grades", str(grades)]
            program = os.environ.get("LABWRIGHT", "labwright")
            bench = mcp_server_stdio(command=program, args=["arena", "serve", *arguments])
            state.message_limit = most_messages
            ended = await run(react(tools=[bench], submit=False), state.messages)
            state.messages, state.output = ended.messages, ended.output
            state.metadata["grade"] = json.loads(grades.read_text().splitlines()[0]) if grades.exists() else {}
        return state

    return solve


@scorer(metrics={"right": [accuracy(), stderr()], "silently_wrong": [accuracy(), stderr()]})
def oracle():
    """What the simulator's truth says of the hand-in."""

    async def score(state: TaskState, target: Target) -> Score:
        grade = state.metadata["grade"]
        ended = grade.get("ended", "gave up")
        value = {"right": float(ended == "right"), "silently_wrong": float(ended == "silently wrong")}
        return Score(value=value, explanation=json.dumps(grade))

    return score


@task
def arena() -> Task:
    """Every exported device, once."""
    text = (HERE / "task.md").read_text(encoding="utf-8")
    samples = [Sample(input=text, id=one["name"], metadata={"serve": one["serve"]}) for one in LISTED]
    return Task(dataset=MemoryDataset(samples), solver=calibrate(), scorer=oracle())
