"""The report of a card of dynamics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labwright.tools.forge.tasks.dynamics.kernel.demands import demands_of
from labwright.tools.forge.tasks.dynamics.kernel.figures import told
from labwright.tools.forge.tasks.dynamics.spec import DynamicsSpec
from labwright.tools.forge.tasks.results import Record, Results

MOST_ROWS = 60


def report(spec: DynamicsSpec, results: Results, figures: Sequence[str]) -> str:
    """The system, its cases, every result with its error, the figures."""
    card = spec.card()
    lines = [
        "### System and conventions\n",
        *(f"- {name}: {_part(one)}" for name, one in card["parts"].items()),
        *(f"- {name} = {value}" for name, value in card.get("parameters", {}).items()),
        *(f"- {name}: `{value}`" for name, value in card.get("define", {}).items()),
        f"- Hamiltonian (hbar = 1): `{' + '.join(map(str, [card.get('hamiltonian', 0), *card.get('drives', {}).values()]))}`",
        *(
            [f"- collapse operators: {', '.join(f'`{one}`' for one in card['collapse'])}"]
            if card.get("collapse")
            else []
        ),
        *(
            f"- lifetimes of {name}: {', '.join(f'{key} = {value}' for key, value in one.items())}"
            for name, one in card.get("relaxation", {}).items()
        ),
        *([f"- initial state: `{card['initial']}`"] if "initial" in card else []),
        *([f"- times: `{card['times']}`"] if "times" in card else []),
        *_cases(card.get("cases")),
        "",
        "Closed systems follow Schroedinger's equation, damped ones the Lindblad equation. Where nothing depends on t and the"
        " system is small the generator is diagonalised, else QuTiP integrates with a relative tolerance of 1e-10. Each error is the"
        " difference to a second computation (QuTiP's `sesolve` or `mesolve` with Adams' method and another step); for oscillators,"
        " what a quarter more levels change is added.\n",
        *(line for demand in demands_of(card) for line in _table(demand.name, results.find(demand.name))),
        *(
            f"- {name.replace('_', ' ')}: {one.value:.1e}"
            for name in ("norm_error", "lowest_eigenvalue", "truncation")
            for one in results.find(name)
            if isinstance(one.value, float)
        ),
        "",
        *(f"![{path}]({path})\n" for path in figures),
    ]
    return "\n".join(lines)


def _part(one: dict[str, object]) -> str:
    return ", ".join(
        f"{key} {', '.join(map(str, value)) if isinstance(value, list) else value}" for key, value in one.items()
    )


def _cases(cases: object) -> list[str]:
    if isinstance(cases, dict):
        return [
            f"- cases, {name}: {', '.join(f'{key} = `{value}`' for key, value in one.items()) if isinstance(one, dict) else one}"
            for name, one in cases.items()
        ]
    return (
        [f"- case: {', '.join(f'{key} = `{value}`' for key, value in one.items())}" for one in cases]
        if isinstance(cases, list)
        else []
    )


def _table(name: str, records: Sequence[Record]) -> list[str]:
    single = [one for one in records if not one.axes]
    curves = [
        one
        for one in records
        if one.axes and not (single and one.axes[0].name not in ("time", "delay", "frequency", "index"))
    ]
    unit = next((f" ({one.unit})" for one in records if one.unit), "")
    made = [f"### {name.replace('_', ' ').capitalize()}{unit}\n"]
    if single:
        made += [
            "| case | value | error |",
            "|---|---:|---:|",
            *(
                f"| {told(one.labels) or 'the only one'} | {_number(one.value)} | {_error(one)} |"
                for one in single[:MOST_ROWS]
            ),
            "",
        ]
    if curves:
        rows = []
        for one in curves[:MOST_ROWS]:
            values = np.asarray(one.value, dtype=float)
            x = one.axes[0].values
            rows.append(
                f"| {told(one.labels) or 'the only one'} | {values[0]:.6g} | {values.min():.6g} at {x[int(values.argmin())]:g} | {values.max():.6g} at {x[int(values.argmax())]:g} | {values[-1]:.6g} | {_error(one)} |"
            )
        along = f"{curves[0].axes[0].name}{f' ({curves[0].axes[0].unit})' if curves[0].axes[0].unit else ''}"
        made += [
            f"Along {along}, {len(curves[0].axes[0].values)} points:\n",
            "| case | first | least | greatest | last | error |",
            "|---|---:|---:|---:|---:|---:|",
            *rows,
            "",
        ]
    left = max(0, len(single) - MOST_ROWS) + max(0, len(curves) - MOST_ROWS)
    return [*made, *([f"{left} more are in results.json.\n"] if left else [])]


def _number(value: object) -> str:
    return f"{value:.8g}" if isinstance(value, int | float) else "does not occur" if value is None else str(value)


def _error(one: Record) -> str:
    return "" if one.uncertainty is None else f"{one.uncertainty:.0e}"
