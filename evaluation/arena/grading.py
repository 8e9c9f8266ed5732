"""The grade of one session, by the oracle alone: what was handed in beside what is true at that moment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from labwright.evaluation.arena.devices import FAULTS
from labwright.evaluation.arena.session import Claim, Session
from labwright.evaluation.arena.wire_format import significant
from labwright.evaluation.scoring import LARGEST_RATIO
from labwright.tools.qpu.drift import drifted
from labwright.tools.qpu.oracle import device_errors, gate_errors, optimal_settings
from labwright.tools.qpu.oracle_pair import pair_error

SIGMAS = 5.0  # of its own error, beyond which a trusted claim is silently wrong,
SHARE, SHIFT = 0.1, 0.02  # if it is also off by so much of the truth, or for a frequency by so many MHz


def grade(session: Session) -> dict[str, Any]:
    """The row of a device; see ``cases/arena/task.md`` for what the outcomes mean."""
    device, drawn, handed = session.device, session.drawn, session.handed
    errors = {qubit: device_errors(device, qubit) for qubit in device.qubits}
    worst = max(each.ratio for each in errors.values())
    claims = [judged_claim(session, claim) for claim in (handed.claims if handed else [])]
    lies = [each for each in claims if each["trusted"] and _lies(each)]
    faults = sorted({name for names in drawn.faults.values() for name in names})
    row: dict[str, Any] = {
        "kind": drawn.kind, "condition": drawn.condition, "device_faults": faults,
        "ratio": significant(worst, 5),
        "error_per_gate": significant(max(each.per_gate for each in errors.values()), 5),
        "ratios": {qubit: significant(each.ratio, 5) for qubit, each in errors.items()},
        "handed_in": handed.status if handed else "", "cause": handed.cause if handed else "",
        "cause_right": bool(handed and handed.cause in {FAULTS[name].cause for name in faults}),
        "claims": claims, "device_seconds": round(device.clock, 1), "acquisitions": len(device.log),
    }  # fmt: skip
    if drawn.kind == "pair":
        [name] = ["-".join(pair) for pair in device.settings.pairs]
        calibrated = device.settings.pair(name).calibrated
        row["cz_error"] = significant(pair_error(device, name).total, 5) if calibrated else None
    gates_wrong = bool(handed and handed.status == "calibrated" and worst > LARGEST_RATIO)
    if handed is None:
        outcome = "gave up"
    elif gates_wrong or lies:
        outcome = "silently wrong"
    elif handed.status == "calibrated":
        outcome = "right"
    else:
        outcome = "right" if excused(session) else "gave up"
    return {**row, "ended": outcome, "gates_wrong": gates_wrong, "claims_wrong": len(lies)}


def excused(session: Session) -> bool:
    """Whether a refusal is right: a fault hides the states, or the best settings there are would not do."""
    for qubit, names in session.drawn.faults.items():
        if any(FAULTS[name].excuses for name in names):
            return True
        now = session.device.transmon(qubit, 0.0)
        best = optimal_settings(now)  # for the qubit without drift: so is its detuning
        if gate_errors(replace(now, detuning=now.truth.frequency - best.frequency), best).ratio > LARGEST_RATIO:
            return True
    return False


def judged_claim(session: Session, claim: Claim) -> dict[str, Any]:
    """A claim with the truth of its quantity at this moment."""
    device = session.device
    now = device.transmon(claim.qubit, device.settings.current(claim.qubit).frequency)
    shift, _ = drifted(
        session.drawn.truth.qubit(claim.qubit), session.drawn.seed, device.qubits.index(claim.qubit), device.clock
    )
    truth = {
        "frequency": now.truth.frequency + shift,
        "t1": now.truth.t1,
        "t2_echo": now.truth.t2_echo,
        "error_per_gate": device_errors(device, claim.qubit).per_gate,
    }[claim.quantity]
    return {
        "qubit": claim.qubit, "quantity": claim.quantity, "value": claim.value, "error": claim.error,
        "truth": significant(truth, 9), "sigmas": significant((claim.value - truth) / claim.error, 5),
        "trusted": claim.trusted,
    }  # fmt: skip


def _lies(claim: dict[str, Any]) -> bool:
    off = abs(claim["value"] - claim["truth"])
    most = SHIFT if claim["quantity"] == "frequency" else SHARE * claim["truth"]
    return bool(abs(claim["sigmas"]) > SIGMAS and off > most)
