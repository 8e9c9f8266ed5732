"""Matrix product states: ground states of spin chains, Gibbs states of chains, driven and disordered spin chains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from labwright.tools.forge.tasks.reporting import report_of
from labwright.tools.forge.tasks.solver_scripts import script
from labwright.tools.forge.tasks.task_type import Computed, Family, Script
from labwright.tools.forge.tasks.tensor_network.cards import DrivenCard, GroundCard, ThermalCard
from labwright.tools.forge.tasks.tensor_network.judging import judge_driven, judge_ground, judge_thermal

KERNEL = Path(__file__).parent / "solver"
GROUND = {"dmrg_ground_states": "finds the states", "spin_chain_exact_states": "checks small chains exactly"}
GROUND["plot_lines"] = "draws energies and order parameters"
THERMAL = {
    "gibbs_purification": "cools the chain",
    "spin_chain_exact_states": "checks a short chain against its whole spectrum",
    "plot_lines": "draws energies and local expectation values",
}
DRIVEN = {
    "floquet_tebd": "evolves the driven chain",
    "chain_exact_evolution": "checks some periods with the exact state vector",
    "plot_lines": "draws magnetisation and entanglement",
}


def _scripts(
    module: str, trial: str, whole: str, seconds: Callable[[Computed], float]
) -> Callable[[Computed, Mapping[str, str]], Sequence[Script]]:
    """A small system by two methods, then the task."""

    def scripts(task: Computed, imports: Mapping[str, str]) -> Sequence[Script]:
        small = script(trial, KERNEL, imports, task.given, f"{module}_exact_check", subset=True, wall_seconds=300.0)
        return [small, script(whole, KERNEL, imports, task.given, module, wall_seconds=seconds(task))]

    return scripts


def _ground_seconds(task: Computed) -> float:
    sectors, ring = 2 if task.conserve.startswith("parity") else 1, 4 if task.boundary == "periodic" else 1
    work = sum(max(n - 8, 2) * (task.bond_dimension / 100) ** 2 for n in task.sizes)
    return float(600.0 + 1.5 * work * len(task.values) * sectors * ring)


def _driven_seconds(task: Computed) -> float:
    length = sum(one["duration"] for one in task.segments)
    steps = task.periods * length / task.dt * (1 if task.order == 2 else 5)
    size = min(2 ** (task.sites // 2), task.bond_dimension)
    each = steps * task.sites * (2e-3 + 1e-3 * (size / 32) ** 3)
    return float(600.0 + 3 * each * task.realisations * len(task.values))


FAMILIES = (
    Family("ground_state_chain", GroundCard, lambda task: GROUND,
           _scripts("ground", "Try a small chain.", "Compute all ground states.", _ground_seconds),
           judge_ground, report_of("tensor_network/ground.md")),
    Family("thermal_chain", ThermalCard, lambda task: THERMAL,
           _scripts("thermal", "Try a short chain.", "Cool the chain and measure.",
                    lambda task: 300 + 12 * task.sites * task.betas[-1] / task.step * (task.bond_dimension / 200) ** 2),
           judge_thermal, report_of("tensor_network/thermal.md")),
    Family("driven_chain", DrivenCard, lambda task: DRIVEN,
           _scripts("driven", "Try a few periods.", "Evolve all realisations.", _driven_seconds),
           judge_driven, report_of("tensor_network/driven.md")),
)  # fmt: skip
