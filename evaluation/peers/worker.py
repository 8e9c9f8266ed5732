"""A peer at work, in its own environment: ``python worker.py PEER WORK.npz``. It imports nothing of Labwright.

It prepares, does the work once, which compiles and fills caches, and writes what came out to ``PEER.npy`` beside the
work. For each line on standard input it does the work again and says how many seconds of the clock and of the processor
that took.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import runpy
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Work = dict[str, Any]
Do = Callable[[], Any]


def pennylane(work: Work) -> Do:
    """A QNode on lightning.qubit, one state after another, as PennyLane's users write it."""
    import pennylane as qml

    @qml.qnode(qml.device("lightning.qubit", wires=int(work["qubits"])), diff_method=None)  # type: ignore[untyped-decorator]
    def state(angles: Any) -> Any:
        for name, wires, row, taken in gates(work):
            getattr(qml, name)(*angles[row : row + taken], wires=wires)
        return qml.state()

    return lambda: kernel([state(column) for column in work["angles"].T])


def qiskit(work: Work) -> Do:
    """`Statevector` of a circuit a sample."""
    from qiskit import QuantumCircuit  # type: ignore[import-untyped]
    from qiskit.quantum_info import Statevector  # type: ignore[import-untyped]

    def state(angles: Any) -> Any:
        circuit = QuantumCircuit(int(work["qubits"]))
        for name, wires, row, taken in gates(work):
            method = {"CNOT": "cx"}.get(name, name.lower())
            getattr(circuit, method)(*map(float, angles[row : row + taken]), *wires)
        return Statevector(circuit).data

    return lambda: kernel([state(column) for column in work["angles"].T])


def qibo(work: Work) -> Do:
    """Qibo's circuits on its compiled backend, qibojit."""
    import qibo as library
    from qibo import Circuit
    from qibo import gates as kinds

    library.set_backend("qibojit", platform="numba")
    library.set_threads(1)

    def state(angles: Any) -> Any:
        circuit = Circuit(int(work["qubits"]))
        for name, wires, row, taken in gates(work):
            circuit.add(getattr(kinds, name)(*wires, *map(float, angles[row : row + taken])))
        return circuit().state()

    return lambda: kernel([state(column) for column in work["angles"].T])


def gates(work: Work) -> list[tuple[str, list[int], int, int]]:
    """Name, wires, first row and number of angles, in order."""
    rows = zip(work["names"], work["wires"], work["rows"], work["taken"], strict=True)
    return [(str(name), [int(w) for w in wires if w >= 0], int(row), int(taken)) for name, wires, row, taken in rows]


def kernel(states: list[Any]) -> Any:
    """|<a|b>|^2 of all pairs."""
    stacked = np.array(states)
    return np.abs(stacked @ stacked.conj().T) ** 2


def qutip(work: Work) -> Do:
    """`mesolve`: one solution with all durations for square pulses, one with a spline for each shaped pulse."""
    import qutip as library

    free, drive, start = (library.Qobj(work[name]) for name in ("free", "drive", "start"))
    jumps = [library.Qobj(one) for one in work["jumps"]]
    levels = [library.fock_dm(len(work["free"]), k) for k in range(len(work["free"]))]
    options = {"nsteps": 10**6}

    def square() -> Any:
        h = free + float(work["rate"]) * drive
        return np.array(library.mesolve(h, start, work["times"], jumps, e_ops=levels, options=options).expect).T[1:]

    def shaped() -> Any:
        final = []
        for rate in work["rates"]:
            h = [free, [drive, library.coefficient(np.concatenate([[0.0], rate, [0.0]]), tlist=work["times"])]]
            ends = [0.0, float(work["times"][-1])]
            final.append(library.mesolve(h, start, ends, jumps, e_ops=levels, options=options).expect)
        return np.array(final)[:, :, -1]

    return shaped if "rates" in work else square


def dynamiqs(work: Work) -> Do:
    """dynamiqs' `mesolve` in double precision; all shaped pulses are one batch, compiled beforehand."""
    import dynamiqs as library

    library.set_precision("double")
    levels = len(work["free"])
    free, drive, start = (library.asqarray(work[name]) for name in ("free", "drive", "start"))
    jumps = [library.asqarray(one) for one in work["jumps"]]
    measured = [library.fock_dm(levels, k) for k in range(levels)]
    how = {"exp_ops": measured, "method": library.method.Tsit5(max_steps=10**6), "progress_meter": False}

    def square() -> Any:
        h = free + float(work["rate"]) * drive
        solved = library.mesolve(h, jumps, start, np.asarray(work["times"]), **how)
        return np.asarray(solved.expects).real.T[1:]

    def shaped() -> Any:
        knots = np.asarray(work["edges"])
        h = free + library.pwc(knots, np.asarray(work["rates"]), drive)
        ends = np.array([0.0, float(work["times"][-1])])
        solved = library.mesolve(h, jumps, start, ends, **how)
        return np.asarray(solved.expects).real[:, :, -1]

    return shaped if "rates" in work else square


def pylabrobot(work: Work) -> Do:
    """Each script in PyLabRobot's simulated robot, in a process of its own forked from this one."""
    import pylabrobot.liquid_handling
    import pylabrobot.resources  # noqa: F401 - loaded once, before the forks

    return scripts(work, lambda file: runpy.run_path(str(file), run_name="__main__"))


def opentrons(work: Work) -> Do:
    """Each script in Opentrons' simulator, in a process of its own forked from this one."""
    from opentrons import simulate

    def one(file: Path) -> None:
        with file.open() as script:
            simulate.simulate(script)

    return scripts(work, one)


def scripts(work: Work, run: Callable[[Path], Any]) -> Do:
    """All scripts one after another; how many were accepted."""
    folder = Path(tempfile.mkdtemp())
    files = [folder / f"{number}.py" for number in range(len(work["scripts"]))]
    for file, text in zip(files, work["scripts"], strict=True):
        file.write_text(str(text))

    def accepted(file: Path) -> bool:
        process = os.fork()
        if not process:
            sys.argv = [str(file)]
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                try:
                    run(file)
                except BaseException as error:  # noqa: BLE001 - the exit code says it
                    os._exit(int(not (isinstance(error, SystemExit) and error.code in (0, None))))
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0

    return lambda: np.array([accepted(file) for file in files])


def create_agent(work: Work) -> Do:
    """LangChain's `create_agent`: a scripted model calls an idle tool so many times, with checkpoints in SQLite."""
    from langchain.agents import create_agent as made

    return loop(work, lambda model, tools, saver: made(model, tools, checkpointer=saver))


def deepagents(work: Work) -> Do:
    """The same with a deepagents agent."""
    from deepagents import create_deep_agent

    return loop(work, lambda model, tools, saver: create_deep_agent(model, tools, checkpointer=saver))


def loop(work: Work, make: Callable[..., Any]) -> Do:
    """A loop of so many turns; how many there were."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langgraph.checkpoint.sqlite import SqliteSaver

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **more: Any) -> Any:
            return self

    def nothing_check(qubit: str) -> str:
        """Measure nothing."""
        return f"{qubit}: nothing was measured"

    turns = int(work["turns"])

    def run() -> Any:
        calls = [
            AIMessage("", tool_calls=[{"name": "nothing_check", "args": {"qubit": "Q1"}, "id": str(n)}])
            for n in range(turns)
        ]
        with tempfile.TemporaryDirectory() as folder, SqliteSaver.from_conn_string(f"{folder}/checkpoints") as saver:
            agent = make(Scripted(messages=iter([*calls, AIMessage("Done.")])), [nothing_check], saver)
            given = {"messages": [{"role": "user", "content": "Measure nothing."}]}
            done = agent.invoke(given, {"configurable": {"thread_id": "1"}, "recursion_limit": 10 * turns})
        return np.array(sum(message.type == "tool" for message in done["messages"]))

    return run


def spent() -> float:
    """Processor seconds of this process and of those it waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def main(peer: str, path: str) -> None:
    """Prepare, say so, and repeat the work on demand."""
    say = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    with np.load(path) as stored:
        do = globals()[peer](dict(stored))
    np.save(Path(path).with_name(f"{peer}.npy"), do())
    print("ready", file=say, flush=True)
    for _ in sys.stdin:
        began, used = time.perf_counter(), spent()
        do()
        print(time.perf_counter() - began, spent() - used, file=say, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
