"""The scientific packages work inside, on a folder and with two threads, as far as they are installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from labwright.tools.sandbox import Limits, run_in_folder
from labwright.tools.sandbox.confined import ConfinedSandbox

# PySCF's gradients reserve address space by the thread, 3.2 GB each.
LIMITS = Limits(cpu_seconds=120, wall_seconds=300, memory_mb=8192, file_mb=64, threads=2)
NEED_PROC = ("psutil", "pyscf", "geometric", "qiskit_aer", "tequila", "pools", "shared_memory")
PACKAGES = {
    "qutip": "import qutip as q; assert q.mesolve(q.sigmax(), q.basis(2, 0), [0, 1], e_ops=[q.sigmaz()]).expect[0][1] < 0",  # noqa: E501
    "qutip_qtrl": """
import qutip as q
from qutip_qtrl import pulseoptim
made = pulseoptim.optimize_pulse_unitary(q.sigmaz() * 0, [q.sigmax()], q.qeye(2), q.sigmax(), 10, 5.0, max_iter=50)
assert made.fid_err < 1e-2""",
    "matplotlib": "import matplotlib.pyplot as p; p.plot([1, 2]); p.savefig('figure.png')",
    "tenpy": "import tenpy; from tenpy.models.tf_ising import TFIChain; TFIChain({'L': 8})",
    "qiskit": "from qiskit import QuantumCircuit, transpile; c = QuantumCircuit(2); c.h(0); transpile([c] * 4, basis_gates=['u'])",  # noqa: E501
    "qiskit_aer": """
from qiskit import QuantumCircuit
from qiskit_aer import AerSimulator
c = QuantumCircuit(1); c.h(0); c.measure_all()
assert sum(AerSimulator().run(c, shots=100).result().get_counts().values()) == 100""",
    "tequila": """
import tequila as tq
u = tq.ExpectationValue(tq.gates.Ry("a", 0), tq.paulis.X(0))
assert abs(tq.simulate(u, {"a": 1.0}, backend="qulacs") - 0.84147) < 1e-4""",
    "pyscf": """
from pyscf import dft, gto, scf
assert abs(scf.RHF(gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g")).run().e_tot + 1.1168) < 1e-3
dft.RKS(gto.M(atom="H 0 0 0; F 0 0 0.9", basis="6-31g"), xc="b3lyp").run().Hessian().kernel()""",
    "geometric": """
from pyscf import gto, scf
from pyscf.geomopt.geometric_solver import optimize
optimize(scf.RHF(gto.M(atom="H 0 0 0; H 0 0 0.9", basis="sto-3g")))""",
    "rdkit": """
from rdkit import Chem
from rdkit.Chem import AllChem, Draw
m = Chem.AddHs(Chem.MolFromSmiles("CCO")); AllChem.EmbedMolecule(m, randomSeed=1); Draw.MolToFile(m, "m.png")""",
    "ase": "from ase.build import molecule; from ase.calculators.emt import EMT; a = molecule('N2'); a.calc = EMT(); a.get_potential_energy()",  # noqa: E501
    "pennylane": """
import pennylane as qml
@qml.qnode(qml.device("default.qubit", wires=1))
def f(x): qml.RX(x, 0); return qml.expval(qml.Z(0))
f(0.3)""",
    "cudaq": """
import cudaq
cudaq.set_target("qpp-cpu")
k = cudaq.make_kernel(); q = k.qalloc(1); k.h(q[0]); k.mz(q)
assert sum(count for _, count in cudaq.sample(k).items()) == 1000""",
    "psutil": "import psutil; assert psutil.Process().memory_info().rss and psutil.virtual_memory().total",
}
PLAIN = {
    "pools": "import multiprocessing as m\nif __name__ == '__main__': assert m.Pool(2).map(abs, [-1, 2]) == [1, 2]",
    "shared_memory": "from multiprocessing import shared_memory as m; m.SharedMemory(create=True, size=9).unlink()",
}


def works(code: str, sandbox: ConfinedSandbox, folder: Path, limits: Limits = LIMITS) -> None:
    (folder / "script.py").write_text(code)
    run = run_in_folder(sandbox, ["python", "script.py"], folder, limits=limits)
    assert run.completed.ending == "ok", run.completed.stderr.decode()[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_works_inside(package: str, sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    if package in NEED_PROC and not sandbox.with_proc().proc:
        pytest.skip(f"{package} reads /proc, which {sandbox.level} cannot show")
    works(PACKAGES[package], sandbox, tmp_path)


@pytest.mark.parametrize("what", PLAIN)
def test_python_makes_pools_and_shared_memory(what: str, sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    if not sandbox.with_proc().proc:
        pytest.skip(f"{sandbox.level} has no /dev/shm")
    works(PLAIN[what], sandbox, tmp_path)
