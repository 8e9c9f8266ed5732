"""Cards of dynamics against closed forms: each formula stands beside its card."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.special import j0

from labwright.tools.forge.tasks.dynamics.judging import judge
from labwright.tools.forge.tasks.dynamics.solver.expression_values import CardError
from labwright.tools.forge.tasks.dynamics.solver.solve import solved
from labwright.tools.forge.tasks.dynamics.spec import DynamicsSpec
from labwright.tools.forge.tasks.results import Results


def _solve(text: str) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = solved(yaml.safe_load(text))["records"]
    return records


def _one(records: list[dict[str, Any]], quantity: str, **labels: Any) -> dict[str, Any]:
    found = [one for one in records if one["quantity"] == quantity and labels.items() <= one["labels"].items()]
    found = [one for one in found if set(one["labels"]) == set(labels)] or found
    assert found, f"no {quantity} {labels}"
    return found[0]


def _curve(records: list[dict[str, Any]], quantity: str, **labels: Any) -> tuple[Any, Any]:
    one = _one(records, quantity, **labels)
    return np.array(one["axes"][0]["values"]), np.array(one["value"])


def _value(records: list[dict[str, Any]], quantity: str, **labels: Any) -> float:
    one = _one(records, quantity, **labels)
    assert one["uncertainty"] < 1e-5 * max(1.0, abs(one["value"])), one
    return float(one["value"])


def test_rabi_oscillations_off_resonance() -> None:
    """P1 = (w/W)^2 sin^2(W t / 2), W^2 = w^2 + d^2; first maximum at pi/W; the mean is half the height."""
    records = _solve("""
parts: {q: {levels: 2}}
parameters: {w: 2*pi*3 MHz, d: 2*pi*4 MHz}
hamiltonian: w/2*X(q) - d*proj(q, 1)
initial: ket(0)
times: linspace(0, 0.4, 81) us
wanted:
  population: {of: all}
  top: first_max(population(q, 1))
  when: {of: "time_of_first_max(population(q, 1))", unit: ns}
  half: crossing(population(q, 1), 0.18)
  area: integral(population(q, 1), 0, 0.2 us)
  mean: {of: "population(q, 1)"}
  average: mean(population(q, 1), 0, 0.2 us)
  splitting: {of: gap(), unit: MHz}
""")
    t, p = _curve(records, "population", level=1)
    assert records[0]["axes"][0]["unit"] == "us"
    assert p == pytest.approx(0.36 * np.sin(2 * np.pi * 5 * t / 2) ** 2, abs=1e-8)
    assert _value(records, "top") == pytest.approx(0.36, abs=1e-8)
    assert _value(records, "when") == pytest.approx(100, abs=1e-5)
    assert _value(records, "half") == pytest.approx(0.05, abs=1e-8)
    assert _value(records, "area") == pytest.approx(0.18 * 0.2, abs=1e-9)
    assert _value(records, "mean") == pytest.approx(0.18, abs=1e-8)
    assert _value(records, "average") == pytest.approx(0.18, abs=1e-8)
    assert _value(records, "splitting") == pytest.approx(5, abs=1e-9)


def test_decay_and_dephasing() -> None:
    """P1 = exp(-t/T1), |rho01| = exp(-t/T2)/2, for T1 with T2 and with Tphi, 1/T2 = 1/(2 T1) + 1/Tphi."""
    records = _solve("""
parts: {q: {levels: 2}}
parameters: {T1: 12 us}
cases:
- {name: t2, T2: 8 us}
- {name: decay, T2: 24 us}
initial: (ket(0) + ket(1))/sqrt(2)
relaxation: {q: {T1: T1, T2: T2}}
times: linspace(0, 30, 31) us
wanted:
  population: {of: {1: "q, 1"}}
  coherence: {of: "q, 0, 1"}
  settled: steady(proj(q, 0))
""")
    for name, t2 in (("t2", 8.0), ("decay", 24.0)):
        t, p = _curve(records, "population", case=name)
        assert p == pytest.approx(np.exp(-t / 12) / 2, abs=1e-8)
        t, c = _curve(records, "coherence", case=name)
        assert c == pytest.approx(np.exp(-t / t2) / 2, abs=1e-8)
        assert _value(records, "settled", case=name) == pytest.approx(1, abs=1e-9)
    records = _solve("""
parts: {q: {levels: [g, e]}}
initial: (ket(g) + ket(e))/sqrt(2)
relaxation: {q: {T1: 3, Tphi: 2}}
times: linspace(0, 5, 11)
wanted: {coherence: {of: "q, g, e"}, purity: }
""")
    t, c = _curve(records, "coherence")
    assert c == pytest.approx(np.exp(-t * (1 / 6 + 1 / 2)) / 2, abs=1e-8)


def test_vacuum_rabi_oscillations_and_collapse_of_a_coherent_field() -> None:
    """Pe = cos^2(g t) from |e, 0>; from |e> with a coherent field Pe = 1/2 + 1/2 sum_n p_n cos(2 g sqrt(n+1) t)."""
    records = _solve("""
parts: {q: {levels: [g, e]}, c: {oscillator: 30}}
parameters: {G: 1.3}
define: {s: "ketbra(q, g, e)"}
hamiltonian: G*(dag(s)*a(c) + s*adag(c))
cases: {initial: {vacuum: "ket(e, 0)", field: "tensor(coherent(c, 2), state(q, e))"}}
times: linspace(0, 6, 61)
wanted:
  population: {of: {e: "q, e"}}
  photons: {of: n(c)}
  entropy: {of: q, where: initial == vacuum}
""")
    t, p = _curve(records, "population", initial="vacuum", level="e")
    assert p == pytest.approx(np.cos(1.3 * t) ** 2, abs=1e-8)
    assert _curve(records, "photons", initial="vacuum")[1] == pytest.approx(np.sin(1.3 * t) ** 2, abs=1e-8)
    share = np.clip(np.cos(1.3 * t) ** 2, 1e-15, 1 - 1e-15)
    assert _curve(records, "entropy", initial="vacuum")[1] == pytest.approx(
        -share * np.log2(share) - (1 - share) * np.log2(1 - share), abs=1e-6
    )
    _, p = _curve(records, "population", initial="field", level="e")
    weights = [math.exp(-4) * 4**n / math.factorial(n) for n in range(60)]
    exact = 0.5 + 0.5 * sum(w * np.cos(2 * 1.3 * math.sqrt(n + 1) * t) for n, w in enumerate(weights))
    assert p == pytest.approx(exact, abs=1e-6)
    assert _one(records, "truncation")["value"] < 1e-6


def test_antibunching_of_a_driven_two_level_atom() -> None:
    """g2 = 1 - exp(-3 G t/4) (cos(m t) + 3 G/(4 m) sin(m t)), m^2 = w^2 - (G/4)^2 (Carmichael, Walls)."""
    records = _solve("""
parts: {atom: {levels: [g, e]}}
parameters: {w: 2.5, G: 1.0}
define: {s: "ketbra(atom, g, e)"}
hamiltonian: w/2*(s + dag(s))
collapse: [sqrt(G)*s]
wanted:
  g2: {of: s, delays: "linspace(0, 8, 81)"}
  excited: steady(dag(s)*s)
  slowest: relaxation_rate()
  spectrum: {of: s, frequencies: "linspace(-6, 6, 121)"}
  c: correlation(dag(s), s, [0, 1])
""")
    t, g = _curve(records, "g2")
    m = math.sqrt(2.5**2 - 1 / 16)
    assert g == pytest.approx(1 - np.exp(-0.75 * t) * (np.cos(m * t) + 0.75 / m * np.sin(m * t)), abs=1e-7)
    excited = 2.5**2 / (1 + 2 * 2.5**2)
    assert _value(records, "excited") == pytest.approx(excited, abs=1e-9)
    assert _value(records, "slowest") == pytest.approx(0.5, abs=1e-9)
    w, s = _curve(records, "spectrum")
    assert s == pytest.approx(_mollow(w, 2.5, 1.0), rel=1e-6)
    assert _curve(records, "c")[1][0] == pytest.approx(excited, abs=1e-9)


def _mollow(w: Any, rabi: float, decay: float) -> Any:
    """Incoherent spectrum of resonance fluorescence, solved as the Bloch equations' resolvent (Mollow 1969)."""
    sigma = np.array([[0, 1], [0, 0]], dtype=complex)  # |g><e|
    h = rabi / 2 * (sigma + sigma.T)
    eye = np.eye(2)
    number = sigma.conj().T @ sigma
    generator = -1j * (np.kron(h, eye) - np.kron(eye, h.T)) + decay * (
        np.kron(sigma, sigma.conj()) - 0.5 * np.kron(number, eye) - 0.5 * np.kron(eye, number.T)
    )
    values, vectors = np.linalg.eig(generator)
    rho = vectors[:, np.argmin(abs(values))].reshape(2, 2)
    rho /= np.trace(rho)
    weights = np.linalg.solve(vectors, (sigma @ rho).ravel())
    amplitudes = [weights[k] * np.trace(sigma.conj().T @ vectors[:, k].reshape(2, 2)) for k in range(4)]
    kept = [k for k in range(4) if abs(values[k]) > 1e-9]
    return np.array([2 * np.real(sum(amplitudes[k] / (1j * x - values[k]) for k in kept)) for x in w])


def test_quasi_energies_of_a_driven_qubit() -> None:
    """A drive along Z leaves +-e/2; a circular one gives (w +- W)/2, W^2 = (e - w)^2 + A^2, folded."""
    records = _solve("""
parts: {q: {levels: 2}}
parameters: {e: 1.0, w: 3.0, A: 0.7}
cases:
  hamiltonian:
    along: e/2*Z(q) + A*cos(w*t)*Z(q)
    circular: e/2*Z(q) + A/2*(cos(w*t)*X(q) + sin(w*t)*Y(q))
wanted: {quasi_energies: {period: 2*pi/w}}
""")
    assert _curve(records, "quasi_energies", hamiltonian=records[0]["labels"]["hamiltonian"])[1] == pytest.approx(
        [-0.5, 0.5], abs=1e-8
    )
    rabi = math.sqrt(4 + 0.49)
    expected = sorted(((x + 1.5) % 3 - 1.5) for x in ((3 + rabi) / 2, (3 - rabi) / 2))
    assert records[1]["value"] == pytest.approx(expected, abs=1e-8)
    two = "parts: {q: {levels: 2}, c: {levels: 3}}\nhamiltonian: 0.3*Z(q) + 0.2*n(c)\n"
    assert _solve(two + "wanted: {quasi_energies: {period: 1}}")[0]["value"] == pytest.approx(
        [-0.3, -0.1, 0.1, 0.3, 0.5, 0.7], abs=1e-8
    )


def test_correlations_in_a_state_without_damping_and_the_distance_of_two_states() -> None:
    """H = w Z/2: <X(t) X(0)> = cos(w t) - i tanh(w/2T) sin(w t) at 1/T = 1; |0> and cos|0> + sin|1> are |sin| apart."""
    records = _solve("""
parts: {q: {levels: 2}}
hamiltonian: 0.8*Z(q)
initial: cos(0.3)*ket(0) + sin(0.3)*ket(1)
times: [0, 1]
wanted:
  warm: correlation(X(q), X(q), linspace(0, 3, 7), gibbs(H, 1))
  trace_distance: ket(0)
  flipped: fidelity(X(q)*initial)
""")
    t, real = _curve(records, "warm", part="real")
    assert real == pytest.approx(np.cos(1.6 * t), abs=1e-8)
    assert _curve(records, "warm", part="imag")[1] == pytest.approx(-math.tanh(0.8) * np.sin(1.6 * t), abs=1e-8)
    assert _curve(records, "trace_distance")[1] == pytest.approx([math.sin(0.3)] * 2, abs=1e-8)
    target = math.sin(0.6) ** 2 * np.cos([0, 0.8]) ** 2
    assert _curve(records, "flipped")[1] == pytest.approx(target, abs=1e-8)


def test_thermal_states() -> None:
    """An oscillator with loss k(n+1) and gain k n settles at n, with purity 1/(2 n + 1); a cut Gibbs state at tanh."""
    records = _solve("""
parts: {c: {oscillator: 40}}
parameters: {kappa: 1/(40 us), T: 150 mK}
define: {nb: "nbar(5.2 GHz, T)"}
collapse: [sqrt(kappa*(nb + 1))*a(c), sqrt(kappa*nb)*adag(c)]
initial: ket(3)
times: arange(0 us, 120 us, 5 us)
wanted:
  n: expect(n(c))
  settled: steady(n(c))
  purity: steady(purity())
""")
    mean = 1 / math.expm1(6.62607015e-34 * 5.2e9 / (1.380649e-23 * 0.150))
    assert _value(records, "settled") == pytest.approx(mean, abs=1e-6)
    assert _value(records, "purity") == pytest.approx(1 / (2 * mean + 1), abs=1e-6)
    t, n = _curve(records, "n")
    assert t[-1] == 120
    assert n == pytest.approx(mean + (3 - mean) * np.exp(-t / 40), abs=1e-6)
    records = _solve("""
parts: {q: {levels: 2}}
define: {h: 0.8*Z(q)}
initial: gibbs(h, 1.5)
times: [0]
wanted: {z: Z(q)}
""")
    assert records[0]["value"] == pytest.approx([-math.tanh(1.2)], abs=1e-12)


def test_entanglement_of_two_decaying_atoms() -> None:
    """From a|gg> + b|ee>: C = 2 max(0, e^-t |ab| - b^2 e^-t (1 - e^-t)) for equal lifetimes 1 (Yu and Eberly)."""
    records = _solve("""
parts: {x: {levels: [g, e], count: 2}}
collapse: ["ketbra(x[0], g, e)", "ketbra(x[1], g, e)"]
cases:
  initial:
    A: (ket(g, g) + sqrt(3)*ket(e, e))/2
    C: 0.6*dm((ket(g, e) + ket(e, g))/sqrt(2)) + 0.4*dm(ket(g, g))
times: linspace(0, 3, 31)
wanted:
  concurrence: {figure: lines}
  death: {kind: threshold_crossing, of: concurrence(), level: 1e-9, where: initial == A}
  negativity: {where: initial == A, at: [0]}
""")
    t, c = _curve(records, "concurrence", initial="A")
    lost = np.exp(-t)
    assert c == pytest.approx(2 * np.maximum(0, lost * math.sqrt(3) / 4 - 0.75 * lost * (1 - lost)), abs=1e-7)
    _, c = _curve(records, "concurrence", initial="C")
    assert c == pytest.approx(0.6 * lost, abs=1e-7)
    assert _one(records, "death")["value"] == pytest.approx(-math.log(1 - 1 / math.sqrt(3)), abs=1e-3)
    assert _one(records, "negativity")["value"] == pytest.approx([math.sqrt(3) / 4], abs=1e-9)


def test_drives_of_any_form() -> None:
    """exp(-i A X) moves sin^2 A, whatever the form of the pulse of area A; none is stepped over."""
    records = _solve("""
parts: {q: {levels: 2}}
cases:
  hamiltonian:
  - "box(t, 40, 40.5)*pi/2*X(q)"
  - "gauss(t, 50, 0.2)*pi/4/sqrt(2*pi)/0.2*X(q)"
  - "exp(-(t - 50)**2/2/0.2**2)*pi/4/sqrt(2*pi)/0.2*X(q)"
  - "interp(t, [10, 10.5, 11], [0, pi/2, 0])*X(q)"
  - "pulses(t, [10, 10.5, 70, 71], [pi/4, 0, pi/8])*X(q)"
  - "box(t % 20, 5, 5.1)*pi/2*X(q)"
  - "where(t < 99.5, 0, pi/2)*X(q)"
initial: ket(0)
times: [0, 50, 100]
wanted: {P: "population(q, 1)"}
""")
    final = [one["value"][-1] for one in records if one["quantity"] == "P"]
    # exp(-i A X) turns the population to sin^2 A
    assert final == pytest.approx([0.5] * 7, abs=1e-6)


def test_phase_modulation_gives_bessel_functions() -> None:
    """<exp(-i phi(t))> of H = A cos(w t) Z/2 from |+>: <X> = cos(A sin(w t)/w); its mean over a period is J0(A/w)."""
    records = _solve("""
parts: {s: {spin: 1/2}}
parameters: {A: 2.0, w: 1.6}
drives: {shake: A*cos(w*t)*Sz(s)}
initial: plus(s)
times: linspace(0, 2*pi/w, 50)
wanted: {X: 2*Sx(s), m: mean(expect(2*Sx(s))), overlap: {of: plus(s)}, top: "max(abs(expect(2*Sy(s))))"}
""")
    t, x = _curve(records, "X")
    assert x == pytest.approx(np.cos(1.25 * np.sin(1.6 * t)), abs=1e-8)
    assert _value(records, "m") == pytest.approx(j0(1.25), abs=1e-8)
    assert np.array(_one(records, "overlap", part="real")["value"]) == pytest.approx(
        np.cos(0.625 * np.sin(1.6 * t)), abs=1e-8
    )
    assert _value(records, "top") == pytest.approx(math.sin(1.25), abs=1e-8)


def test_energies_in_other_units() -> None:
    """20 meV between two levels beat with h/(20 meV) = 206.78 fs; 100/cm with 333.56 fs."""
    records = _solve("""
parts: {d: {levels: [L, R]}}
cases: {J: {volts: 10 meV, waves: 50/cm}}
hamiltonian: J*(ketbra(d, L, R) + ketbra(d, R, L))
initial: ket(L)
times: linspace(0, 400, 401) fs
wanted: {back: {kind: time_of_first_maximum, of: "population(d, L)"}, E: {kind: gap, unit: meV}}
""")
    assert _value(records, "E", J="volts") == pytest.approx(20, rel=1e-9)
    assert _value(records, "E", J="waves") == pytest.approx(12.39842, abs=1e-5)
    assert _value(records, "back", J="volts") == pytest.approx(206.7834, abs=1e-3)
    assert _value(records, "back", J="waves") == pytest.approx(333.5641, abs=1e-3)
    assert _one(records, "back")["unit"] == "fs"


def test_a_hamiltonian_in_units_of_energy_keeps_its_size() -> None:
    """Matrix elements of 1e-21 J are no rounding: a tunnelling ion, in joule, meV and 1/cm at once."""
    records = _solve("""
parts: {c: {oscillator: 60}}
parameters: {V0: 2020/cm, x0: 0.0385 nm, m: 2.487*1.66053907e-27 kg, s: 0.012 nm}
define: {x: s/x0*position(c)}
hamiltonian: hbar**2/(2*m*s**2)*momentum(c)**2 + V0*(x**2 - identity())**2 + (0 meV)*n(c)
wanted:
  low: {of: "gap(0, 1)", unit: 1/cm}
  high: {of: "gap(2, 3)", unit: 1/cm}
  there: pi/gap(0, 1)
""")
    assert _value(records, "low") == pytest.approx(1.2451337, abs=1e-5)
    assert _value(records, "high") == pytest.approx(64.386045, abs=1e-4)
    assert _value(records, "there") == pytest.approx(13.39471, abs=1e-4)
    two = _solve("parts: {q: {levels: 2}}\nhamiltonian: (10 meV)*X(q) + (3 meV)*Z(q)\nwanted: {gap: {unit: meV}}")
    assert _value(two, "gap") == pytest.approx(2 * math.hypot(10, 3), rel=1e-12)


def test_one_over_a_frequency_is_a_time_and_pulses_may_end_at_a_sample() -> None:
    """Transfer by two overlapping pulses through a leaky level, whose tails are cut within rounding of a sample."""
    records = _solve("""
parts: {m: {levels: [L1, L2, L3, lost]}}
parameters: {w: 2*pi*5 MHz, sigma: 0.4 us, delta: 2*pi*2 MHz, leak: 2*pi*1/us}
define: {P: "w*gauss(t, 2.8 us, sigma)/2", S: "w*gauss(t, 2.2 us, sigma)/2"}
hamiltonian: P*(ketbra(m, L1, L2) + ketbra(m, L2, L1)) + S*(ketbra(m, L2, L3) + ketbra(m, L3, L2)) + delta*proj(m, L2)
collapse: ["sqrt(leak)*ketbra(m, lost, L2)"]
initial: ket(L1)
times: linspace(0, 5, 501) us
wanted: {p3: "final(population(m, L3))", T: {of: 2*pi/w, unit: us}, area: "erf(0.5)"}
""")
    assert _value(records, "p3") == pytest.approx(0.9466425, abs=1e-6)
    assert _value(records, "T") == pytest.approx(0.2, rel=1e-12)
    assert _value(records, "area") == pytest.approx(math.erf(0.5), rel=1e-12)


def test_sums_over_many_spins() -> None:
    """One excitation on a ring of six: P(k) = |1/6 sum_q exp(2 pi i q k/6 - 2 i J t cos(2 pi q/6))|^2."""
    records = _solve("""
parts: {s: {levels: 2, count: 6}}
hamiltonian: sum(sigmap(s[i])*sigmam(s[(i + 1) % 6]) + sigmam(s[i])*sigmap(s[(i + 1) % 6]) for i in range(6))
initial: ket(1, 0, 0, 0, 0, 0)
times: linspace(0, 3, 13)
wanted: {population: {of: {0: "s[0], 1", 2: "s[2], 1"}}, all: "sum(expect(proj(s[i], 1)) for i in range(6))"}
""")
    for k in (0, 2):
        t, p = _curve(records, "population", level=k)
        exact = (
            abs(sum(np.exp(2j * np.pi * q * k / 6 - 2j * t * math.cos(2 * np.pi * q / 6)) for q in range(6)) / 6) ** 2
        )
        assert p == pytest.approx(exact, abs=1e-8)
    assert _curve(records, "all")[1] == pytest.approx(np.ones(13), abs=1e-9)


def test_sweeps_become_curves_and_what_never_happens_is_null() -> None:
    """P_e = w^2/(G^2 + 4 d^2 + 2 w^2) of a damped atom; a level that is not reached has no time."""
    records = _solve("""
parts: {q: {levels: [g, e]}}
parameters: {w: 1, G: 2/us}
hamiltonian: 2*pi*d*proj(q, e) + 0.5/us*w*(ketbra(q, g, e) + ketbra(q, e, g))
cases: {d: "[-0.5, 0, 0.2] MHz"}
collapse: ["sqrt(G)*ketbra(q, g, e)"]
initial: ket(g)
times: linspace(0, 1, 11) us
wanted: {P: "steady(population(q, e))", never: "crossing(population(q, e), 0.9)"}
""")
    swept = next(one for one in records if one["quantity"] == "P" and one["axes"])
    assert swept["axes"][0] == {"name": "d", "values": [-0.5, 0, 0.2], "unit": "MHz"}
    assert swept["value"] == pytest.approx([1 / (4 + 4 * (2 * math.pi * d) ** 2 + 2) for d in (-0.5, 0, 0.2)], abs=1e-9)
    assert [one["value"] for one in records if one["quantity"] == "never"] == [None] * 3


def test_an_average_over_a_detuning_that_nobody_knows() -> None:
    """Quasi-static noise: <X> = exp(-(s t)^2/2) for a Gaussian of width s; its time of 1/e is sqrt(2)/s."""
    records = _solve("""
parts: {q: {levels: 2}}
parameters: {s: 0.4}
cases: {d: "linspace(-2.4, 2.4, 41)"}
average: {d: exp(-(d/s)**2/2)}
hamiltonian: d/2*Z(q)
initial: plus(q)
times: linspace(0, 4, 9)
wanted: {x: X(q), end: final(X(q))}
""")
    t, x = _curve(records, "x", average="over d")
    assert x == pytest.approx(np.exp(-((0.4 * t) ** 2) / 2), abs=1e-8)
    assert _value(records, "end", average="over d") == pytest.approx(math.exp(-1.28), abs=1e-8)


def test_fits_of_a_ringing_decay_and_of_a_line() -> None:
    """Z rotates at 3 MHz and decays at 2 g by noise along x; a cavity's line is a Lorentzian of width kappa."""
    records = _solve("""
parts: {q: {levels: 2}}
parameters: {g: 0.15/us}
hamiltonian: pi*3 MHz*X(q)
collapse: [sqrt(g)*X(q)]
initial: ket(0)
times: linspace(0, 4, 161) us
wanted:
  ring: {kind: fit, of: Z(q), model: A*exp(-k*x)*cos(2*pi*f*x) + c, guess: {A: 0.8, k: 0.5/us, f: 2.9 MHz, c: 0}}
  time:
    {kind: fit, of: Z(q), at: "linspace(0, 2, 41) us", model: exp(-x/T)*cos(w*x), guess: {T: 2500 ns, w: 2*pi*3.1 MHz}}
""")
    found = {one["labels"]["parameter"]: one for one in records if one["quantity"] == "ring"}
    for name, value, unit in (("A", 1, ""), ("k", 0.3, "1/us"), ("f", 3, "MHz"), ("c", 0, "")):
        assert found[name]["value"] == pytest.approx(value, abs=1e-6)
        assert found[name]["unit"] == unit
        assert found[f"{name} error"]["value"] < 1e-6
    assert found["residual"]["value"] < 1e-7
    assert _value(records, "time", parameter="T") == pytest.approx(1e4 / 3, rel=1e-6)
    assert _value(records, "time", parameter="w") == pytest.approx(6 * math.pi, rel=1e-7)
    assert _one(records, "time", parameter="w")["unit"] == "rad/us"
    records = _solve("""
parts: {c: {oscillator: 12}}
parameters: {nb: 0.1}
hamiltonian: 2*n(c)
collapse: [sqrt(0.4*(nb + 1))*a(c), sqrt(0.4*nb)*adag(c)]
wanted:
  line:
    kind: fit
    of: spectrum(a(c), linspace(0, 4, 81))
    model: S/(1 + (2*(x - x0)/width)**2)
    guess: {S: 1, x0: 1.8, width: 0.5}
""")
    assert _value(records, "line", parameter="width") == pytest.approx(0.4, abs=1e-6)
    assert _value(records, "line", parameter="x0") == pytest.approx(2, abs=1e-6)
    assert _value(records, "line", parameter="S") == pytest.approx(0.1 * 4 / 0.4, rel=1e-5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"guess": "{f: 9}"}, "misses the curve"),
        ({"model": "cos(f*x) + d - e", "guess": "{f: 2, d: 0.1, e: 0.1}"}, "does not fix every number"),
        ({"at": "[0, 1]", "model": "cos(f*x) + d", "guess": "{f: 2, d: 0.1}"}, "needs more"),
        ({"of": "identity()"}, "a curve that changes"),
    ],
)  # fmt: skip
def test_a_bad_fit_is_refused_when_it_is_made(change: dict[str, str], said: str) -> None:
    """<Z> = cos(2 t)."""
    fields = {"of": "Z(q)", "model": "cos(f*x)", "guess": "{f: 2.1}", **change}
    text = ", ".join(f"{key}: {value}" for key, value in fields.items())
    card = yaml.safe_load(f"""
parts: {{q: {{levels: 2}}}}
hamiltonian: X(q)
initial: ket(0)
times: linspace(0, 5, 51)
wanted: {{f: {{kind: fit, {text}}}}}
""")
    with pytest.raises(CardError, match=said):
        solved(card)


def test_a_result_at_the_time_that_another_result_gives() -> None:
    """<Z> = cos(2 t) falls up to 0.4, and <Y> = -sin(2 t); the trace of a Hermitian operator is real."""
    records = _solve("""
parts: {q: {levels: 2}, s: {spin: 1/2}}
hamiltonian: X(q)
relaxation: {s: {Tphi: 3}}
initial: ket(0, up)
times: linspace(0, 0.4, 9)
wanted:
  there: value_at(expect(Y(q)), time_of_min(expect(Z(q))))
  between: integral(expect(Z(q)), time_of_max(expect(Z(q))), time_of_min(expect(Z(q))))
  trace: tr(Z(q)*Z(q))
""")
    assert _value(records, "there") == pytest.approx(-math.sin(0.8), abs=1e-7)
    assert _value(records, "between") == pytest.approx(math.sin(0.8) / 2, abs=1e-7)
    assert _value(records, "trace") == 4


def test_a_state_is_an_operator_and_the_hamiltonian_a_name() -> None:
    """A projector on |1>|0>, on |+> of one part, the ground state of H = X of the qubit, and dH/dt = 0."""
    records = _solve("""
parts: {q: {levels: 2}, c: {oscillator: 3}}
define:
  P: dm(ket(1, 0))
  low: ground(H)
  rest: identity() - P
  plus_q: dm(plus(q))
  still: comm(H, dm(ket(1, 0))) - comm(H, P)
hamiltonian: X(q) + 2*n(c) + 0*P
initial: ket(0, 0)
times: [0, 1]
wanted:
  one: P
  other: {kind: expectation, of: rest}
  plus_q: {kind: expectation, of: plus_q}
  same: {kind: expectation, of: proj(plus(q))}
  low: fidelity(low)
  still: expect(still)
""")
    one = math.sin(1) ** 2
    for name, last in (("one", one), ("other", 1 - one), ("plus_q", 0.5), ("same", 0.5), ("low", 0.5), ("still", 0)):
        assert _curve(records, name)[1][-1] == pytest.approx(last, abs=1e-9)


def test_a_number_that_has_decayed_is_as_exact_as_its_curve() -> None:
    """A population of exp(-30), known within 1e-10 of the curve that it ends, is not doubtful."""
    card = yaml.safe_load("""
parts: {q: {levels: 2}}
parameters: {w: 1e-6}
hamiltonian: Z(q)*cos(3*t)
collapse: [lower(q)]
initial: ket(1)
times: linspace(0, 30, 31)
wanted: {left: {of: "final(population(q, 1))/w"}, last: "final(1e6*proj(q, 1))"}
""")
    spec = DynamicsSpec.model_validate(card)
    results = Results.model_validate(solved(spec.card()))
    last, scale = results.one("last"), results.one("scale", result="last")
    assert last.uncertainty > 1e-3 * last.value
    assert scale.value == pytest.approx(1e6)
    [said] = [one.message for one in judge(spec, results, {}) if one.name == "numerical errors"]
    assert "left" in said
    assert "last" not in said
