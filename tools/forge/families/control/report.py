"""The report of a task of optimal control."""

from __future__ import annotations

from collections.abc import Sequence

from labwright.tools.forge.families.control.judging import number
from labwright.tools.forge.families.control.spec import ControlSpec
from labwright.tools.forge.results import Results


def report(spec: ControlSpec, results: Results, figures: Sequence[str]) -> str:
    """Method and conventions, fidelities, occupations, meaning."""
    unit = spec.time_unit or "arbitrary units"
    what = "state transfer" if spec.goal == "state" else "gate"
    lines = [
        "## Method\n",
        f"Pulses for the {what} {spec.initial_name + ' -> ' if spec.goal == 'state' else ''}{spec.target_name} were found with GRAPE"
        f" (qutip_qtrl.pulseoptim, L-BFGS-B with exact gradients): {len(spec.controls)} controls"
        f" ({', '.join(one.label for one in spec.controls)}), duration {spec.duration:g} {unit}, {spec.slots} slots,"
        f" amplitudes {_bounds(spec)}, start {_start(spec)}. H(t) = H_0 + sum_j u_j(t) H_j with hbar = 1."
        " The pulses were then checked by integrating the Schroedinger equation with QuTiP, independently of the optimiser.\n",
        "## Results\n",
        "| quantity | value |",
        "|---|---:|",
        f"| fidelity, verified by evolution ({results.parameters.get('fidelity_convention', '')}) | {number(results, 'fidelity'):.6f} |",
        f"| fidelity by the optimiser | {number(results, 'optimiser_fidelity'):.6f} |",
        f"| fidelity under the starting pulses | {number(results, 'start_fidelity'):.4f} |",
        f"| iterations | {number(results, 'iterations'):.0f} |",
    ]
    if spec.goal == "gate":
        lines.append(f"| average gate fidelity | {number(results, 'average_gate_fidelity'):.6f} |")
    lines += ["", *_levels(spec, results), "## What it means\n", _meaning(spec, results), ""]
    lines += [f"![{path}]({path})" for path in figures]
    return "\n".join(lines) + "\n"


def _bounds(spec: ControlSpec) -> str:
    if spec.lower is None and spec.upper is None:
        return "without bounds"
    return f"between {spec.lower} and {spec.upper}"


def _start(spec: ControlSpec) -> str:
    if spec.start == "counter_intuitive":
        return "counter-intuitive Gaussians (second control first)"
    return f"from smooth random pulses (seed {spec.seed}, scale {spec.start_scale:.3g})"


def _levels(spec: ControlSpec, results: Results) -> list[str]:
    both = bool(spec.penalties)
    head = "| level | mean | peak |" + (" mean without penalty |" if both else "")
    rows = [head, "|---|" + "---:|" * (3 if both else 2)]
    for level in spec.levels:
        cells = [number(results, f"{kind}_occupation", level=level, case="reported") for kind in ("mean", "peak")]
        if both:
            cells.append(number(results, "mean_occupation", level=level, case="without penalty"))
        rows.append(f"| {level} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |")
    return ["Occupation during the pulses:\n", *rows, ""]


def _meaning(spec: ControlSpec, results: Results) -> str:
    said = (
        "GRAPE climbs the gradient of the final overlap with respect to every slot's amplitudes. That overlap looks at"
        " the end of the pulses only: nothing in it keeps a level empty on the way."
    )
    if spec.penalties:
        names = ", ".join(spec.levels[one.level] for one in spec.penalties)
        said += (
            f" The mean occupation of {names} was therefore added to the goal, with weight"
            f" {', '.join(f'{one.weight:g}' for one in spec.penalties)}; the table shows what that changes. Pulses that"
            " keep the level between two others empty let the coupling towards the target grow before the one from the"
            " start falls: the system stays close to a dark state, a superposition of the outer levels that does not"
            " couple to the middle one, which is the mechanism of STIRAP. Slower pulses (larger area) follow it better."
        )
    elif len(spec.levels) > 2 and spec.goal == "state":
        said += (
            " Levels in between are therefore occupied as the path happens to take them; a penalty on their occupation,"
            " or a counter-intuitive start, would change that."
        )
    return said
