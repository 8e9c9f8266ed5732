"""Right workspaces of our own tasks and the studies, from the references' exact methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from forge_workspaces import lines, made, record

Made = dict[str, Any]
DOWN = np.array([[0, 0], [1, 0]], dtype=complex)


def rubidium_qubit() -> Made:
    time = np.linspace(0, 30, 301)
    p = {"excited": np.exp(-time / 10), "superposition": np.exp(-time / 10) / 2}
    c = {"excited": 0 * time, "superposition": np.exp(-time / 5) / 2}
    records = [
        record("contact_density", 2.66, molecule="Rb"),
        record("hyperfine_splitting", 6.8347, source="measured"),
        *(record("population", v, {"time": time}, level="excited", initial=k) for k, v in p.items()),
        *(record("coherence", v, {"time": time}, initial=k) for k, v in c.items()),
    ]
    script = "import qutip, pyscf\nqutip.mesolve()\npyscf.gto.M()\n"
    return made(records, [lines(p, x=time), lines(c, x=time)], packages=["qutip", "pyscf"], script=script)


RIGHT = {
    "studies/02_rubidium_qubit": rubidium_qubit,
}
