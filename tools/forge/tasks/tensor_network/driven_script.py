"""The scripts of a task about driven chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.tasks.base import Script
from labwright.tools.forge.tasks.program import program
from labwright.tools.forge.tasks.tensor_network.driven_spec import DrivenSpec

EXACT_SITES = 11  # state vectors up to here are evolved beside


def scripts(spec: DrivenSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """A few periods of one realisation against the state vector, then everything."""
    given = spec.model_dump(mode="json") | {"exact_sites": EXACT_SITES}
    tools = ["floquet_tebd", "chain_exact_evolution"]
    small = program("A few periods against the exact state vector.", imports, tools, given, _COMMON + _SUBSET)
    full = program("All realisations and values.", imports, ["floquet_tebd", "plot_lines"], given, _COMMON + _BODY)
    steps = spec.periods * sum(one.duration for one in spec.segments) / spec.dt * (1 if spec.order == 2 else 5)
    size = min(2 ** (spec.n_sites // 2), spec.chi_max)
    each = steps * spec.n_sites * (2e-3 + 1e-3 * (size / 32) ** 3)
    return [
        Script("Try a few periods.", small, subset=True, wall_seconds=300.0),
        Script("Evolve all realisations.", full, wall_seconds=600.0 + 3 * each * spec.realisations * len(spec.values)),
    ]


_COMMON = '''
DISORDER = np.random.default_rng(GIVEN["seed"]).uniform(
    -GIVEN["disorder_width"], GIVEN["disorder_width"], (GIVEN["realisations"], GIVEN["n_sites"]))


def driven(value, drawn):
    """Segments of one period for a value of the sweep and drawn numbers."""
    n, made = GIVEN["n_sites"], []
    for segment in GIVEN["segments"]:
        terms = []
        for term in segment["terms"]:
            for site in range(n + 1 - len(term["letters"])):
                weight = term["weights"][value] * (drawn[site] if term["disorder"] else 1.0)
                if weight != 0:
                    terms.append({"letters": term["letters"], "site": site, "weight": weight})
        made.append({"duration": segment["duration"], "terms": terms})
    return made


def begun():
    """Bloch vectors at the start."""
    return [[-one if GIVEN["neel"] and k % 2 else one for one in GIVEN["start"]] for k in range(GIVEN["n_sites"])]


def evolved(value, drawn, periods):
    """TEBD of one realisation."""
    return floquet_tebd(FloquetTebdInput(
        n_sites=GIVEN["n_sites"], segments=driven(value, drawn), periods=periods, start=begun(), dt=GIVEN["dt"],
        order=GIVEN["order"], chi_max=GIVEN["chi_max"], observables=[GIVEN["axis"].upper()],
        cuts=[GIVEN["n_sites"] // 2 - 1]))

'''
_SUBSET = '''

def product():
    """Amplitudes of the product state."""
    psi = np.ones(1, dtype=complex)
    for x, y, z in begun():
        up = math.sqrt(max((1 + z) / 2, 0.0))
        psi = np.kron(psi, [up, (x + 1j * y) / (2 * up)] if up > 1e-9 else [0, 1])
    return psi


periods = min(GIVEN["periods"], 4)
found = evolved(0, DISORDER[0], periods)
miss = 0.0
if GIVEN["n_sites"] <= GIVEN["exact_sites"]:
    psi = [[one.real, one.imag] for one in product().tolist()]
    letter = GIVEN["axis"].upper()
    for period in range(1, periods + 1):
        for segment in driven(0, DISORDER[0]):
            terms = [{"letters": one["letters"], "coefficient": one["weight"],
                      "sites": [one["site"] + k for k in range(len(one["letters"]))]} for one in segment["terms"]]
            watch = [{"label": str(k), "terms": [{"letters": letter, "sites": [k], "coefficient": 1.0}]}
                     for k in range(GIVEN["n_sites"])]
            made = chain_exact_evolution(ChainExactEvolutionInput(
                n_qubits=GIVEN["n_sites"], initial_state=psi, hamiltonian=terms, times=[0.0, segment["duration"]],
                observables=watch, cuts=[GIVEN["n_sites"] // 2]))
            psi = made.final_state
        sure = [made.expectations[str(k)][-1] for k in range(GIVEN["n_sites"])]
        miss = max(miss, float(np.abs(np.array(sure) - np.array(found.expectations[0][period])).max()))
    print(f"{periods} periods: TEBD and the exact state vector differ by {miss:.1e} in any spin (Pauli units)")
    if miss > 0.05:
        raise SystemExit("TEBD misses the exact evolution: look at the step, the order and the bond dimension.")
record("trotter_error", miss, periods=periods)
save("results/driven_chain_subset.json", {"periods": periods})
'''
_BODY = """
RECORDS += [one for one in json.loads(Path("results/driven_chain_subset.json").read_text())["records"]]
counted = list(range(GIVEN["periods"] + 1))
axis, scale, bulk = ("period", counted, ""), GIVEN["spin_scale"], GIVEN["bulk"]
middle = GIVEN["n_sites"] // 2
record("disorder", DISORDER.tolist(), axes=[("realisation", list(range(len(DISORDER))), ""),
                                            ("site", list(range(GIVEN["n_sites"])), "")])
curves, growth, lost, largest = [], [], 0.0, 1
for index, value in enumerate(GIVEN["values"]):
    labels = {GIVEN["parameter"]: value} if GIVEN["parameter"] else {}
    courses, entropies = [], []
    for number, drawn in enumerate(DISORDER):
        made = evolved(index, drawn, GIVEN["periods"])
        spins = scale * np.array(made.expectations[0])
        courses.append(spins[:, bulk].mean(axis=1))
        entropies.append([row[0] for row in made.entropies])
        lost, largest = max(lost, made.truncation_errors[-1]), max(largest, max(made.bond_dimensions))
        print(f"{labels} realisation {number}: bond dimension {max(made.bond_dimensions)}, discarded weight "
              f"{made.truncation_errors[-1]:.1e}, entropy {entropies[-1][-1]:.3f}", flush=True)
    mean, spread = np.mean(courses, axis=0), np.std(courses, axis=0)
    entropy = np.mean(entropies, axis=0)
    record("magnetisation", mean.tolist(), axes=[axis], axis=GIVEN["axis"], **labels)
    record("magnetisation_spread", spread.tolist(), axes=[axis], axis=GIVEN["axis"], **labels)
    record("entropy", entropy.tolist(), "nat", [axis], cut=middle, **labels)
    # weight of the alternating part, over the whole run and its second half: period doubling has all of it
    turned = mean * (-1.0) ** np.arange(len(mean))
    record("subharmonic_weight", float(abs(turned.mean())), part="all", **labels)
    record("subharmonic_weight", float(abs(turned[len(turned) // 2 :].mean())), part="second half", **labels)
    first = np.abs(mean) / abs(mean[0]) if mean[0] else np.abs(mean)
    below = np.flatnonzero(first < 1 / math.e)
    record("lifetime", int(below[0]) if len(below) else -1, "periods", **labels)
    changes = int(np.sum(np.sign(mean[1:]) != np.sign(mean[:-1])))
    record("sign_changes", changes, **labels)
    name = f"{GIVEN['parameter']} = {value:g}" if labels else ""
    curves.append({"label": name, "x": counted, "y": mean.tolist()})
    growth.append({"label": name, "x": counted, "y": entropy.tolist()})
record("truncation_error", lost)
record("bond_dimension", largest)
unit = "<S>" if scale == 0.5 else "<sigma>"
Path("img").mkdir(exist_ok=True)
panels = [{"title": one["label"], "x_label": "period", "y_label": unit, "series": [one]} for one in curves]
if len(curves) > 1:
    panels.insert(0, {"title": "", "x_label": "period", "y_label": unit, "series": curves})
plot_lines(PlotLinesInput(path="img/magnetisation.png", title=f"Magnetisation along {GIVEN['axis']}", panels=panels))
plot_lines(PlotLinesInput(path="img/entropy.png", title="Entanglement of the two halves", panels=[
    {"title": "", "x_label": "period", "y_label": "entropy (nat)", "series": growth}]))
save("results/driven_chain.json", {"bulk": bulk, "chi_max": GIVEN["chi_max"], "dt": GIVEN["dt"], "order": GIVEN["order"],
     "magnetisation_operator": f"S{GIVEN['axis']}" if scale == 0.5 else f"2S{GIVEN['axis']}", "truncation_error": lost,
     "convention": "literal: " + ", ".join(f"{one / math.pi:.3f} pi" for one in GIVEN["pulse_angles"]) + " a segment",
     "realisations": GIVEN["realisations"], "seed": GIVEN["seed"], "disorder_width": GIVEN["disorder_width"],
     "formula": GIVEN["formula"]})
"""
