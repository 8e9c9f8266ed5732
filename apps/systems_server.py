"""The four systems as an MCP server: long-running tools with progress, cancel and questions; artifacts as resources.

What a tool's arguments say comes from a model. So no argument grants anything: mind, approval, budget and device are
the server's own options. A run with a question waits until a person answers it at the command line or in the console.
Only where the owner trusts the client to show questions to a person do they go to it, by elicitation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote

import anyio
from anyio.from_thread import run as run_in_loop
from anyio.lowlevel import checkpoint
from anyio.to_thread import run_sync
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ResourceError
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.types import ClientCapabilities, ElicitationCapability, Resource, ResourceTemplate
from pydantic import AnyUrl, Field

from labwright.apps.event_line import progress_line
from labwright.apps.mcp_elicitation import elicited
from labwright.apps.serving_mcp import told
from labwright.graphs.cancelling import Cancellation
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.run_requests import Order
from labwright.graphs.questions import Answer, Question
from labwright.graphs.registry import driver
from labwright.graphs.running import Outcome
from labwright.tools.errors import InputError, RecordError
from labwright.tools.runs import list_runs, open_run, read_result, request_pause, summarise
from labwright.tools.runs.hashed_files import inside

SCHEME = "labwright://runs/"
CANCELLED = "The agent that asked for it cancelled the call."
MOST_LISTED = 20  # runs whose artifacts are listed
TYPES = {".png": "image/png", ".md": "text/markdown", ".json": "application/json", ".py": "text/x-python"}
INSTRUCTIONS = """Each tool starts one run and returns at its end: seconds for a protocol, minutes for the others.
Progress is reported. A cancelled call stops its run, and resume_run goes on with it. Questions and approvals of a run
go to the person, not to you; a run that nobody answers has the status `stopped` and lists its questions. The files of
a run are resources: labwright://runs/RUN/PATH."""

BUILT_IN = ("digits", "digits-augmented", "digits-quantum", "digits-observable")
Run = Annotated[str, Field(description="Id of the run, a unique beginning of it, or `latest`.")]
Seed = Annotated[int, Field(ge=0, description="Of every random draw.")]
Talk = Context[Any, Any, Any]


def make_server(terms: Terms, root: Path, *, questions: Literal["terminal", "client"] = "terminal") -> FastMCP:
    """A server that starts runs below `root` under the person's `terms`.

    Args:
        terms: what the server's owner grants.
        root: folder of the runs.
        questions: who is asked a run's questions. ``client``: the client, by elicitation; the owner trusts it to show
            them to a person. ``terminal``: the run waits for a person at a terminal or the console.
    """
    server = _Server(root)
    tools = _Tools(terms, root, questions)
    for tool in (
        tools.calibrate,
        tools.search_feature_map,
        tools.forge,
        tools.design_protocol,
        tools.resume_run,
        tools.pause_run,
        tools.run_status,
        tools.list_runs,
    ):
        server.add_tool(tool)
    return server


class _Server(FastMCP):
    """Resources are the artifacts that a run's own document names, and nothing else of this machine."""

    def __init__(self, root: Path) -> None:
        self._root = root
        super().__init__("labwright", instructions=INSTRUCTIONS, host="127.0.0.1", log_level="WARNING")

    async def list_resources(self) -> list[Resource]:
        """The artifacts of the newest runs."""
        names = [run.run_id for run in list_runs(self._root)[:MOST_LISTED]]
        return [
            Resource(uri=AnyUrl(uri_of(name, path)), name=f"{name}/{path}", mimeType=_type(path))
            for name in names
            for path in artifacts_of(self._root, name)
        ]

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """How the address of an artifact is made."""
        words = "An artifact of a run, as its result lists it; slashes in the path are written %2F or as they are."
        return [ResourceTemplate(uriTemplate=f"{SCHEME}{{run_id}}/{{path}}", name="artifact", description=words)]

    async def read_resource(self, uri: AnyUrl | str) -> Iterable[ReadResourceContents]:
        """One artifact.

        Raises:
            ResourceError: the address names none.
        """
        name, _, path = unquote(str(uri).removeprefix(SCHEME)).partition("/")
        if not str(uri).startswith(SCHEME) or path not in artifacts_of(self._root, name):
            raise ResourceError(f"There is no artifact {str(uri)!r}.")
        content = inside(self._root / name, path).read_bytes()
        kind = _type(path)
        text = kind.startswith("text/") or kind == "application/json"
        return [ReadResourceContents(content=content.decode() if text else content, mime_type=kind)]


def artifacts_of(root: Path, name: str) -> list[str]:
    """The paths that the document of the run `name` lists, as far as they are there; none if there is no such run."""
    try:
        run = open_run(root, name) if name else None
        document = read_result(run) if run is not None and run.run_id == name else None
    except RecordError:
        return []
    return [one["path"] for one in (document or {}).get("artifacts", []) if (root / name / one["path"]).is_file()]


def uri_of(name: str, path: str) -> str:
    """The address of an artifact."""
    return f"{SCHEME}{name}/{quote(path)}"


def _type(path: str) -> str:
    return TYPES.get(Path(path).suffix, "application/octet-stream")


class _Tools:
    """The tools; their docstrings are what an agent reads of them."""

    def __init__(self, terms: Terms, root: Path, questions: str) -> None:
        self._terms, self._root, self._questions = terms, root, questions

    @told
    async def calibrate(
        self,
        context: Talk,
        request: Annotated[str, Field(description='One sentence such as "Calibrate Q1", or a Markdown procedure.')],
        qubits: Annotated[list[str] | None, Field(description="Qubits meant where the text names none.")] = None,
        seed: Seed = 0,
    ) -> dict[str, Any]:
        """Measure or calibrate superconducting qubits. Returns settings before and after, errors, and the stages."""
        terms = self._terms
        own = {"qubits": qubits or [], "device": terms.device, "device_options": terms.device_options, "lab": terms.lab}
        return await self._started(context, Order("lab_calibration", request, {**self._granted(seed), **own}))

    @told
    async def search_feature_map(
        self,
        context: Talk,
        dataset: Annotated[str, Field(description="`digits`, `digits-augmented`, or a file below here.")] = "digits",
        trials: Annotated[int, Field(ge=1, le=1000, description="Rounds of ideas.")] = 5,
        ideas: Annotated[int, Field(ge=1, le=20, description="Feature maps in one round.")] = 2,
        qubits: Annotated[int, Field(ge=2, le=20)] = 10,
        seed: Seed = 0,
    ) -> dict[str, Any]:
        """Search a quantum feature map for a data set and compare it with classical and quantum kernels."""
        if dataset not in BUILT_IN and not Path(dataset).resolve().is_relative_to(Path.cwd()):
            raise InputError(f"Data set {dataset!r} must be {' or '.join(BUILT_IN)}, or lie below the server's folder.")
        own = {"dataset": dataset, "trials": trials, "ideas": ideas, "qubits": qubits}
        words = f"Find a quantum feature map for {dataset}"
        return await self._started(context, Order("feature_map_search", words, {**self._granted(seed), **own}))

    @told
    async def forge(
        self,
        context: Talk,
        task: Annotated[str, Field(description="What is to be computed, and what is to be shown.")],
        inputs: Annotated[dict[str, str] | None, Field(description="Name -> text of files of the task.")] = None,
        mode: Annotated[Literal["forge", "reuse", "direct"], Field(description="forge makes tools.")] = "forge",
        seed: Seed = 0,
    ) -> dict[str, Any]:
        """Solve a computational task with tools that are made, tested, reviewed and kept; code runs confined."""
        own = {"mode": mode, "toolset": self._terms.toolset}
        if strange := [name for name in inputs or {} if not re.fullmatch(r"[\w-][\w.-]*", name)]:
            raise InputError(f"Input file {strange[0]!r} must have a plain name, without folders.")
        files = {f"workspace/inputs/{name}": text.encode() for name, text in (inputs or {}).items()}
        granted = {name: value for name, value in self._granted(seed).items() if name != "figures"}
        return await self._started(context, Order("tool_forging", task, {**granted, **own}), files)

    @told
    async def design_protocol(
        self,
        context: Talk,
        description: Annotated[str, Field(description="What goes into the vials and what is done with them.")],
        seed: Seed = 0,
    ) -> dict[str, Any]:
        """Design a protocol for the liquid handler: amounts, plate map, steps, checks, and the robot's file."""
        return await self._started(context, Order("protocol_design", description, self._granted(seed)))

    @told
    async def resume_run(self, run_id: Run, context: Talk) -> dict[str, Any]:
        """Go on with a run that was stopped, cancelled, killed, or waits for the person."""
        run = open_run(self._root, run_id)
        return await self._driven(context, run.record.system, run.run_id)

    @told
    async def pause_run(self, run_id: Run) -> dict[str, Any]:
        """Ask a run to stop at its next stage."""
        run = open_run(self._root, run_id)
        request_pause(run)
        return {"run_id": run.run_id, "status": summarise(run).status}

    @told
    async def run_status(self, run_id: Run) -> dict[str, Any]:
        """How a run stands: status, reason, open questions, result so far and artifacts."""
        run = open_run(self._root, run_id)
        state, document = summarise(run), read_result(run) or {}
        shown = {name: document.get(name) for name in ("result", "questions", "usage")}
        uris = [uri_of(run.run_id, path) for path in artifacts_of(self._root, run.run_id)]
        return {"run_id": run.run_id, "system": run.record.system, "status": state.status, "reason": state.reason} | {
            **shown,
            "resources": uris,
        }

    @told
    async def list_runs(self) -> dict[str, Any]:
        """The newest runs, briefly."""
        found = list_runs(self._root)[:MOST_LISTED]
        return {"runs": [{"run_id": r.run_id, "system": r.system, "status": r.status, "asked": r.asked} for r in found]}

    def _granted(self, seed: int) -> dict[str, Any]:
        terms = self._terms
        names = ("mind", "approval", "answers", "budget", "figures")
        return {name: getattr(terms, name) for name in names} | {"seed": seed}

    async def _started(self, context: Talk, order: Order, files: dict[str, bytes] | None = None) -> dict[str, Any]:
        choices = order.typed_choices()

        def make() -> str:
            run = driver(order.system).prepare(order.text, choices, self._root, seed=order.choices["seed"])
            for name, content in (files or {}).items():
                path = inside(run.folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            return run.run_id

        return await self._driven(context, order.system, await run_sync(make))

    async def _driven(self, context: Talk, system: str, run_id: str) -> dict[str, Any]:
        """The run driven to its end, to a question that nobody answers, or until the call is cancelled."""
        switch, told = Cancellation(), _Progress(context)
        elicits = ClientCapabilities(elicitation=ElicitationCapability())
        able = self._questions == "client" and context.session.check_client_capability(elicits)

        def ask(question: Question) -> Answer | None:
            return run_in_loop(elicited, context, question, run_id) if able and not switch.turned else None

        def drive() -> Outcome:
            heard = switch.watched(told.hear)
            return driver(system).resume(run_id, self._root, on_event=heard, on_question=ask)

        async def watch() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                switch.cancel(CANCELLED)  # cancelled from outside, or because the run has ended

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            outcome = await run_sync(drive)
            group.cancel_scope.cancel()
        await checkpoint()  # a call that was cancelled has been answered already
        return self._shown(outcome)

    def _shown(self, outcome: Outcome) -> dict[str, Any]:
        uris = [uri_of(outcome.run_id, path) for path in artifacts_of(self._root, outcome.run_id)]
        shown: dict[str, Any] = {"run_id": outcome.run_id, "status": outcome.status, "reason": outcome.reason}
        shown |= {"result": outcome.result, "questions": outcome.questions, "resources": uris}
        if outcome.questions:
            shown["next"] = f"A person answers with: labwright runs resume {outcome.run_id}"
        return shown


class _Progress:
    """Events of a run as progress of the call; a client that is gone is no reason to stop a run."""

    def __init__(self, context: Talk) -> None:
        self._context, self._count = context, 0

    def hear(self, event: dict[str, Any]) -> None:
        line = progress_line(event)
        if line:
            self._count += 1
            run_in_loop(self._report, line)

    async def _report(self, line: str) -> None:
        try:
            await self._context.report_progress(self._count, None, line)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return
