"""Harder results of sweeps in time: Rabi, Ramsey, T1. Every number is drawn clear of the line between two verdicts.

A good one has little contrast or few shots and a poor R^2, but determines its number as well as the experiment
demands; many of the others are fitted almost perfectly and still mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from labwright.evaluation.inspection.case import Action, Kind, Made
from labwright.evaluation.inspection.random_case_numbers import Draw
from labwright.evaluation.inspection.scripted_device import Array
from labwright.evaluation.inspection.signals import Curve, cosine, lifetime_signal, rabi_signal, ramsey_signal

GOOD_ONES, OTHERS = 16, 8  # cases of a kind in one half: about as many successes as others
SHORTER: tuple[Action, ...] = ({"stop": "down"}, {"amplitude": "down"})
LONGER: tuple[Action, ...] = ({"stop": "up"}, {"amplitude": "up"})
FINER: tuple[Action, ...] = ({"step": "down"}, {"amplitude": "down"})
MORE_FRINGES: tuple[Action, ...] = ({"stop": "up"}, {"offset": "up"})
FEWER_FRINGES: tuple[Action, ...] = ({"stop": "down"}, {"offset": "down"})
LOUDER: tuple[Action, ...] = ({"shots": "up"},)


def _sweep(draw: Draw) -> tuple[dict[str, float], float]:
    """A Rabi sweep of about 100 points, and its span in us."""
    stop = round(draw.between(0.2, 0.6), 3)
    return {"start": 0.01, "stop": stop, "step": max(0.002, round((stop - 0.01) / 100, 3))}, stop - 0.01


def _rabi(draw: Draw, count: tuple[float, float], actions: tuple[Action, ...]) -> Made:
    """A sweep that holds so many clear oscillations."""
    sweep, span = _sweep(draw)
    rate, contrast = draw.between(*count) / span, draw.between(0.45, 0.9)
    signal = rabi_signal(lambda t: cosine(t, 0.05, contrast, rate, 20 * span))
    return Made({**sweep, "shots": 1000}, signal, {"rabi_rate": rate}, actions)


# --- Rabi ---------------------------------------------------------------------------------------------------------


def rabi_faint(draw: Draw) -> Made:
    """Little contrast, few shots; the rate is known to 1 % because there are many points."""
    sweep, span = _sweep(draw)
    rate, contrast, low = draw.between(4.5, 7.2) / span, draw.between(0.25, 0.36), draw.between(0.1, 0.3)
    return Made(
        {**sweep, "shots": draw.whole(150, 300)},
        rabi_signal(lambda t: cosine(t, low, contrast, rate, 30 * span)),
        {"rabi_rate": rate},
    )


def rabi_damped(draw: Draw) -> Made:
    """Decays within the sweep, but the first oscillations tell the rate."""
    sweep, span = _sweep(draw)
    rate, contrast, life = draw.between(4.5, 7.2) / span, draw.between(0.55, 0.85), draw.between(0.35, 0.6) * span
    return Made(
        {**sweep, "shots": draw.whole(500, 1000)},
        rabi_signal(lambda t: cosine(t, 0.05, contrast, rate, life)),
        {"rabi_rate": rate},
    )


def rabi_loud(draw: Draw) -> Made:
    """So many shots that a drift of one per cent stands far out of the error bars; the rate does not mind."""
    sweep, span = _sweep(draw)
    rate, contrast = draw.between(4.5, 7.2) / span, draw.between(0.5, 0.8)
    drift = draw.sign() * draw.between(0.01, 0.02)
    signal = rabi_signal(lambda t: cosine(t, 0.08, contrast, rate, 30 * span) + drift * t / span)
    return Made({**sweep, "shots": 20000}, signal, {"rabi_rate": rate})


def rabi_too_few(draw: Draw) -> Made:
    """Between half an oscillation and two, without much noise."""
    return _rabi(draw, (0.6, 2.1), LONGER)


def rabi_too_many(draw: Draw) -> Made:
    """Ten to eighteen oscillations, each still drawn by five points or more."""
    return _rabi(draw, (10, 18), SHORTER)


def rabi_aliased(draw: Draw) -> Made:
    """Points too far apart: the oscillation looks three to eight times slower than it is, and is fitted very well."""
    step = round(draw.between(0.012, 0.03), 3)
    start, points = 0.01 + round(draw.between(0.25, 0.75) * step, 4), draw.whole(28, 50)
    seen = draw.between(3.6, 7.2) / (step * (points - 1))
    rate, contrast = 1 / step + draw.sign() * seen, draw.between(0.5, 0.9)
    sweep = {"start": start, "stop": start + step * (points - 1), "step": step, "shots": 1000}
    return Made(sweep, rabi_signal(lambda t: cosine(t, 0.05, contrast, rate, 5.0)), {"rabi_rate": rate}, FINER)


def rabi_beating(draw: Draw) -> Made:
    """Two frequencies, as a defect makes them: a decaying cosine follows them for a while."""
    sweep, span = _sweep(draw)
    rate, contrast, share = draw.between(4.5, 7.2) / span, draw.between(0.6, 0.9), draw.between(0.2, 0.45)
    other = rate + draw.sign() * draw.between(0.8, 1.6) / span

    def probability(t: Array) -> Array:
        both = (1 - share) * np.cos(2 * np.pi * rate * t) + share * np.cos(2 * np.pi * other * t)
        return np.asarray(0.05 + contrast / 2 * (1 - both))

    return Made({**sweep, "shots": 1000}, rabi_signal(probability))


def rabi_jump(draw: Draw) -> Made:
    """Half-way the readout loses a third of its contrast or more."""
    sweep, span = _sweep(draw)
    rate, contrast = draw.between(4.5, 7.2) / span, draw.between(0.6, 0.9)
    at, left = 0.01 + draw.between(0.35, 0.7) * span, draw.between(0.4, 0.7)

    def probability(t: Array) -> Array:
        whole = cosine(t, 0.05, contrast, rate, 30 * span)
        return np.where(t > at, 0.05 + left * (whole - 0.05), whole)

    return Made({**sweep, "shots": 1000}, rabi_signal(probability))


def rabi_unsure(draw: Draw) -> Made:
    """An oscillation whose rate is known to about 2 % only, for want of shots."""
    span = round(draw.between(0.2, 0.5), 3)
    rate, contrast = draw.between(3.4, 4.2) / span, draw.between(0.25, 0.31)
    sweep = {"start": 0.01, "stop": 0.01 + span, "step": span / draw.whole(18, 24), "shots": draw.whole(50, 70)}
    return Made(sweep, rabi_signal(lambda t: cosine(t, 0.2, contrast, rate, 30.0)), {"rabi_rate": rate}, LOUDER)


def rabi_dead(draw: Draw) -> Made:
    """Nothing moves: the drive does not reach the qubit, or the readout tells nothing."""
    sweep, _ = _sweep(draw)
    level = draw.one_of((draw.between(0.03, 0.2), draw.between(0.42, 0.58)))
    return Made({**sweep, "shots": draw.whole(300, 1500)}, rabi_signal(lambda t: np.full_like(t, level)))


# --- Ramsey -------------------------------------------------------------------------------------------------------


def fringes(t: Array, phase: Array, low: float, contrast: float, rate: float, life: float) -> Array:
    """Ramsey fringes, high at t = 0 where the two pi/2 pulses add up: `phase` is what the second one adds."""
    return np.asarray(low + contrast / 2 * (1 + np.exp(-t / life) * np.cos(2 * np.pi * rate * t + phase)))


def _ramsey(draw: Draw, count: float, times: int = 1) -> tuple[dict[str, float], float]:
    """A sweep that holds `count` oscillations at its own offset, and its length in us; both drawn for a `times`-th."""
    stop = round(draw.between(0.8, 12.0), 2)
    return {"stop": times * stop, "offset": round(count / stop, 4) / times}, times * stop


def _clear_fringes(draw: Draw, count: tuple[float, float], actions: tuple[Action, ...]) -> Made:
    """So many oscillations at the set offset."""
    sweep, stop = _ramsey(draw, draw.between(*count))
    signal = ramsey_signal(lambda t, phase: fringes(t, phase, 0.1, 0.6, sweep["offset"], 50 * stop))
    return Made({**sweep, "shots": 1000}, signal, {"fringe_frequency": sweep["offset"]}, actions)


def ramsey_faint(draw: Draw) -> Made:
    """Little contrast, few shots, yet the frequency is known to well below 5 kHz."""
    sweep, stop = _ramsey(draw, draw.between(4.0, 8.5), 8)
    rate, contrast, low = sweep["offset"], draw.between(0.25, 0.36), draw.between(0.1, 0.3)
    return Made(
        {**sweep, "shots": draw.whole(150, 300)},
        ramsey_signal(lambda t, phase: fringes(t, phase, low, contrast, rate, 37.5 * stop)),
        {"fringe_frequency": rate},
    )


def ramsey_damped(draw: Draw) -> Made:
    """Fringes that decay within the sweep, with a frequency that is known well enough."""
    sweep, stop = _ramsey(draw, draw.between(4.0, 8.5), 8)
    rate, contrast, life = sweep["offset"], draw.between(0.5, 0.8), draw.between(0.4, 0.8) * stop
    return Made(
        {**sweep, "shots": draw.whole(1000, 2000)},
        ramsey_signal(lambda t, phase: fringes(t, phase, 0.1, contrast, rate, life)),
        {"fringe_frequency": rate},
    )


def ramsey_detuned(draw: Draw) -> Made:
    """Perfect fringes, but not at the set offset: the drive was off, so that the correction has to be confirmed."""
    sweep, stop = _ramsey(draw, draw.between(5.0, 6.5))
    rate = sweep["offset"] + draw.one_of((1, -1)) * max(draw.between(1.0, 2.5) / stop, 0.06)
    signal = ramsey_signal(lambda t, phase: fringes(t, phase, 0.1, 0.6, rate, 50 * stop))
    return Made({**sweep, "shots": 2000}, signal, {"fringe_frequency": rate})


def ramsey_too_few(draw: Draw) -> Made:
    """Half an oscillation to two at the set offset."""
    return _clear_fringes(draw, (0.7, 2.0), MORE_FRINGES)


def ramsey_too_many(draw: Draw) -> Made:
    """Thirteen to twenty oscillations at the set offset."""
    return _clear_fringes(draw, (13, 20), FEWER_FRINGES)


def ramsey_beating(draw: Draw) -> Made:
    """Two fringes, as a charge that jumps during the measurement makes them."""
    sweep, stop = _ramsey(draw, draw.between(4.5, 8.0))
    rate, apart = sweep["offset"], draw.between(0.8, 1.7) / stop

    def probability(t: Array, phase: Array) -> Array:
        low, high = (fringes(t, phase, 0.1, 0.65, rate + side * apart / 2, 50 * stop) for side in (-1, 1))
        return (low + high) / 2

    return Made({**sweep, "shots": 1000}, ramsey_signal(probability))


def ramsey_jump(draw: Draw) -> Made:
    """The frequency jumps during the sweep."""
    sweep, stop = _ramsey(draw, draw.between(4.5, 8.0))
    rate, at = sweep["offset"], draw.between(0.4, 0.65) * stop
    other = rate + draw.sign() * draw.between(1.2, 2.2) / stop

    def probability(t: Array, phase: Array) -> Array:
        after, before = (fringes(t, phase, 0.1, 0.65, each, 50 * stop) for each in (other, rate))
        return np.where(t > at, after, before)

    return Made({**sweep, "shots": 1000}, ramsey_signal(probability))


def ramsey_dead(draw: Draw) -> Made:
    """No fringe, at the level of an idle qubit or of a readout that tells nothing."""
    sweep, _ = _ramsey(draw, draw.between(4.5, 8.0))
    level = draw.one_of((draw.between(0.05, 0.25), draw.between(0.42, 0.55)))
    return Made({**sweep, "shots": draw.whole(300, 1500)}, ramsey_signal(lambda t, _phase: np.full_like(t, level)))


# --- T1 -----------------------------------------------------------------------------------------------------------


def _exponential(life: float) -> Curve:
    return lambda t: np.asarray(np.exp(-t / life))


def _double(share: float, ratio: float) -> Callable[[float], Curve]:
    """A `share` of the excitation decays `ratio` times faster."""
    return lambda life: lambda t: np.asarray(share * np.exp(-ratio * t / life) + (1 - share) * np.exp(-t / life))


def _t1(draw: Draw, cover: float, shots: int, contrast: float, decay: Callable[[float], Curve] = _exponential) -> Made:
    """A sweep over `cover` lifetimes."""
    life = draw.between(20, 160) if cover < 8 else draw.between(15, 65)  # the longest sweep is 1400 us
    arguments = {"stop": round(cover * life, 2), "shots": shots}
    return Made(arguments, lifetime_signal(decay(life), draw.between(0.05, 0.2), contrast), {"t1": life})


def t1_faint(draw: Draw) -> Made:
    """Little contrast, and still known to 5 %: the points are many."""
    made = _t1(draw, draw.between(3.2, 5.0), draw.whole(2500, 4000), draw.between(0.25, 0.3))
    return Made({**made.arguments, "points": 101}, made.signal, made.truth)


def t1_plain(draw: Draw) -> Made:
    """Few shots but contrast enough."""
    return _t1(draw, draw.between(3.0, 6.5), draw.whole(900, 1500), draw.between(0.5, 0.7))


def t1_loud(draw: Draw) -> Made:
    """So many shots that two per cent of fast decay stand out of the error bars; T1 does not mind."""
    share = draw.between(0.015, 0.025)
    return _t1(draw, draw.between(3.2, 5.5), 20000, draw.between(0.5, 0.7), _double(share, 8))


def t1_short(draw: Draw) -> Made:
    """A sweep that ends on the slope: almost a straight line, perfectly fitted."""
    return replace(_t1(draw, draw.between(0.5, 1.8), 3000, draw.between(0.45, 0.7)), actions=LONGER)


def t1_long(draw: Draw) -> Made:
    """A sweep that spends most of its time at the end of the decay."""
    return replace(_t1(draw, draw.between(11, 20), 3000, draw.between(0.45, 0.7)), actions=SHORTER)


def t1_two_lives(draw: Draw) -> Made:
    """A share of the excitation is lost ten times faster, as with quasiparticles; one exponential fits to 95 %."""
    share, ratio = draw.between(0.22, 0.5), draw.between(6, 14)
    return replace(_t1(draw, draw.between(3.5, 6.0), 3000, draw.between(0.5, 0.7), _double(share, ratio)), truth={})


def t1_swapping(draw: Draw) -> Made:
    """The excitation swings to a defect and back while it decays."""
    swings, depth = draw.between(2.0, 5.0), draw.between(0.15, 0.35)
    made = _t1(
        draw, draw.between(3.5, 6.0), 3000, draw.between(0.5, 0.7),
        lambda life: lambda t: np.exp(-t / life) * (1 - depth / 2 * (1 - np.cos(2 * np.pi * swings * t / (3 * life)))),
    )  # fmt: skip
    return Made(made.arguments, made.signal)


def t1_unsure(draw: Draw) -> Made:
    """A decay known to 9-20 %, for want of shots."""
    made = _t1(draw, draw.between(3.2, 5.5), draw.whole(70, 130), draw.between(0.45, 0.6))
    return Made({**made.arguments, "points": 31}, made.signal, made.truth, LOUDER)


def t1_dead(draw: Draw) -> Made:
    """The pi pulse does nothing."""
    return _t1(draw, 4.0, draw.whole(1000, 3000), draw.between(0.0, 0.015))


KINDS = (
    Kind("rabi faint", "rabi", "success", rabi_faint, GOOD_ONES),
    Kind("rabi damped", "rabi", "success", rabi_damped, GOOD_ONES),
    Kind("rabi loud", "rabi", "success", rabi_loud, OTHERS),
    Kind("rabi too few", "rabi", "adjust", rabi_too_few, OTHERS),
    Kind("rabi too many", "rabi", "adjust", rabi_too_many, OTHERS),
    Kind("rabi aliased", "rabi", "adjust", rabi_aliased, OTHERS),
    Kind("rabi beating", "rabi", "bad_data", rabi_beating, OTHERS),
    Kind("rabi jump", "rabi", "bad_data", rabi_jump, OTHERS),
    Kind("rabi unsure", "rabi", "bad_data", rabi_unsure, OTHERS),
    Kind("rabi dead", "rabi", "wrong_setup", rabi_dead, OTHERS),
    Kind("ramsey faint", "ramsey", "success", ramsey_faint, GOOD_ONES),
    Kind("ramsey damped", "ramsey", "success", ramsey_damped, GOOD_ONES),
    Kind("ramsey detuned", "ramsey", "adjust", ramsey_detuned, OTHERS),
    Kind("ramsey too few", "ramsey", "adjust", ramsey_too_few, OTHERS),
    Kind("ramsey too many", "ramsey", "adjust", ramsey_too_many, OTHERS),
    Kind("ramsey beating", "ramsey", "bad_data", ramsey_beating, OTHERS),
    Kind("ramsey jump", "ramsey", "bad_data", ramsey_jump, OTHERS),
    Kind("ramsey dead", "ramsey", "wrong_setup", ramsey_dead, OTHERS),
    Kind("t1 faint", "t1", "success", t1_faint, GOOD_ONES),
    Kind("t1 few shots", "t1", "success", t1_plain, GOOD_ONES),
    Kind("t1 loud", "t1", "success", t1_loud, OTHERS),
    Kind("t1 short", "t1", "adjust", t1_short, OTHERS),
    Kind("t1 long", "t1", "adjust", t1_long, OTHERS),
    Kind("t1 two lives", "t1", "bad_data", t1_two_lives, OTHERS),
    Kind("t1 swapping", "t1", "bad_data", t1_swapping, OTHERS),
    Kind("t1 unsure", "t1", "bad_data", t1_unsure, OTHERS),
    Kind("t1 dead", "t1", "wrong_setup", t1_dead, OTHERS),
)
