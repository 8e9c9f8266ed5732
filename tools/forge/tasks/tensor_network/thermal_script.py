"""The scripts of a task about Gibbs states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.tasks.base import Script
from labwright.tools.forge.tasks.program import program
from labwright.tools.forge.tasks.tensor_network.thermal_spec import ThermalSpec

TOOLS = ("gibbs_purification", "spin_chain_exact_states")


def scripts(spec: ThermalSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """A short chain against its whole spectrum, then the task."""
    given = spec.model_dump(mode="json")
    small = program("A short chain against exact diagonalisation.", imports, TOOLS, given, _COMMON + _SUBSET)
    full = program(
        "The Gibbs states of the task.", imports, ["gibbs_purification", "plot_lines"], given, _COMMON + _BODY
    )
    wall = 300.0 + 6.0 * spec.n_sites * spec.betas[-1] / spec.step / 10 * (spec.chi_max / 200) ** 2 * 20
    return [
        Script("Try a short chain.", small, subset=True, wall_seconds=300.0),
        Script("Cool the chain and measure.", full, wall_seconds=wall),
    ]


_COMMON = '''

def cooled(n, betas, step):
    """Gibbs states by purification."""
    return gibbs_purification(GibbsPurificationInput(
        model=GIVEN["model"], n_sites=n, hopping=GIVEN["hopping"], interaction=GIVEN["interaction"],
        chemical_potential=GIVEN["chemical_potential"], exchange=GIVEN["exchange"], fields=GIVEN["fields"], betas=betas,
        step=step, chi_max=GIVEN["chi_max"], svd_min=GIVEN["svd_min"]))

'''
_SUBSET = '''

def strings(n):
    """(H, mu N) as Pauli strings and constants; fermions by Jordan and Wigner with site = 2 k + spin."""
    made, number, shift = [], [], 0.0
    def put(where, letters, sites, weight):
        if weight != 0:
            where.append({"letters": letters, "sites": sites, "weight": weight})
    if GIVEN["model"] == "xyz":
        for k in range(n):
            put(made, "X", [k], GIVEN["fields"][0] / 2)
            put(made, "Z", [k], GIVEN["fields"][1] / 2)
            if k < n - 1:
                for letter, j in zip("XYZ", GIVEN["exchange"]):
                    put(made, letter * 2, [k, k + 1], j / 4)
        return n, made, number, 0.0, 0.0
    t, u, mu = GIVEN["hopping"], GIVEN["interaction"], GIVEN["chemical_potential"]
    for k in range(n):
        put(made, "ZZ", [2 * k, 2 * k + 1], u / 4)
        for spin in range(2):
            put(made, "Z", [2 * k + spin], -u / 4)
            put(number, "Z", [2 * k + spin], mu / 2)
            if k < n - 1:
                for letter in "XY":
                    put(made, letter + "Z" + letter, [2 * k + spin, 2 * k + spin + 1, 2 * k + spin + 2], -t / 2)
    return 2 * n, made, number, n * u / 4, -mu * n


n = min(GIVEN["n_sites"], 6 if GIVEN["model"] == "xyz" else 4)
qubits, made, number, shift, grand = strings(n)
solved = spin_chain_exact_states(SpinChainExactStatesInput(
    n_sites=qubits, hamiltonian=[*made, *number], n_states=2**qubits, dense=True, observables=made))
levels = np.array(solved.energies) + shift + grand
plain = np.array(solved.expectations).sum(axis=1) + shift
beta = GIVEN["betas"][-1]
weights = np.exp(-beta * (levels - levels.min()))
sure = float(plain @ weights / weights.sum())
found = cooled(n, [0.0, beta], GIVEN["step"])
infinite = float(plain.mean()) if not number else float(found.energies[0])
print(f"{n} sites at beta = {beta}: purification {found.energies[-1]:.6f}, exact {sure:.6f}")
if abs(found.energies[-1] - sure) > 5e-3 * max(1.0, abs(sure)):
    raise SystemExit("The purification misses the exact energy of a short chain: look at the step and the truncation.")
record("energy", found.energies[-1], method="purification", N=n)
record("energy", sure, method="exact", N=n)
save("results/thermal_chain_subset.json", {"N": n, "beta": beta})
'''
_BODY = '''
from scipy.interpolate import CubicSpline

made = cooled(GIVEN["n_sites"], GIVEN["betas"], GIVEN["step"])
n, betas = GIVEN["n_sites"], made.betas
axis, sites = ("beta", betas, ""), ("site", list(range(n)), "")
energies = np.array(made.energies)
fermions = GIVEN["model"] == "hubbard"
if fermions:
    up, down = np.array(made.site_values["n_up"]), np.array(made.site_values["n_down"])
    double = np.array(made.site_values["double"])
    particles = (up + down).sum(axis=1)
    grand = energies - GIVEN["chemical_potential"] * particles
    reported = grand if GIVEN["energy_convention"] == "grand" else energies
    for name, values in (("up", up), ("down", down), ("total", up + down)):
        record("occupation", values.tolist(), axes=[axis, sites], spin=name)
        record("density", values.mean(axis=1).tolist(), axes=[axis], spin=name)
    record("double_occupancy", double.mean(axis=1).tolist(), axes=[axis])
    record("double_occupancy_sites", double.tolist(), axes=[axis, sites])
    record("local_moment", (up + down - 2 * double).mean(axis=1).tolist(), axes=[axis])
    record("grand_energy_per_site", (grand / n).tolist(), axes=[axis])
else:
    reported = grand = energies
    scale = GIVEN["spin_scale"]
    for name in ("Sx", "Sz"):
        values = scale * np.array(made.site_values[name])
        record("magnetisation", values.tolist(), axes=[axis, sites], axis=name[-1])
        record("mean_magnetisation", values.mean(axis=1).tolist(), axes=[axis], axis=name[-1])
    record("correlator", (scale**2 * np.array(made.bond_correlations)).tolist(),
           axes=[axis, ("bond", list(range(n - 1)), "")], observable="ZZ" if scale == 2 else "SzSz")
    record("mean_bond_correlation", (scale**2 * np.array(made.bond_correlations)).mean(axis=1).tolist(), axes=[axis],
           observable="ZZ" if scale == 2 else "SzSz")
record("energy_per_site", (reported / n).tolist(), axes=[axis])
record("energy", reported.tolist(), axes=[axis], method="purification")
# -d<H - mu N>/d beta is its variance: never negative in a thermal state
curve = CubicSpline(betas, grand)
heat = -curve.derivative()(betas)
record("heat_capacity_per_site", (np.array(betas) ** 2 * heat / n).tolist(), axes=[axis])
# at beta = 0 the slope is the variance of an infinitely hot chain, which is a trace
record("initial_slope", float((grand[1] - grand[0]) / (betas[1] - betas[0])))
record("bond_dimension", made.bond_dimensions, axes=[axis])
record("truncation_error", made.truncation_errors, axes=[axis])
# S(beta) = S(0) + beta <H - mu N> - integral of <H - mu N>
area = np.array([float(curve.integrate(0.0, beta)) for beta in betas])
start = n * math.log(4 if fermions else 2)
record("entropy", ((start + np.array(betas) * grand - area) / n).tolist(), "nat per site", [axis])
if not fermions:
    # F = <H> - T S, and S holds beta <H>
    record("free_energy_per_site", ((area[1:] - start) / np.array(betas[1:]) / n).tolist(), axes=[("beta", betas[1:], "")])
coarse = cooled(n, [0.0, betas[-1]], 2 * GIVEN["step"])
record("step_effect", float(abs(coarse.energies[-1] - energies[-1]) / n))
print(f"beta {betas[-1]}: energy per site {reported[-1] / n:.6f}, bond dimension {made.bond_dimensions[-1]}, "
      f"a step twice as long changes it by {abs(coarse.energies[-1] - energies[-1]) / n:.1e}")


def against(title, y_label, curves):
    """A panel of curves against beta, with its last point marked."""
    series = []
    for label, y in curves:
        for places, style in ((range(len(betas)), "line"), ([len(betas) - 1], "points")):
            series.append({"label": label if style == "line" else "", "style": style, "y": [float(y[k]) for k in places],
                           "x": [betas[k] for k in places]})
    return {"title": title, "x_label": "beta", "y_label": y_label, "series": series}


panels = [against("Energy", "energy per site", [("", reported / n)])]
if fermions:
    kinds = (("up", up), ("down", down), ("total", up + down))
    panels.append({"title": f"Occupation at beta = {betas[-1]:g}", "x_label": "site", "y_label": "occupation", "series": [
        {"label": name, "x": sites[1], "y": values[-1].tolist(), "style": "points"} for name, values in kinds]})
    panels.append(against("Mean occupation", "occupation per site", [(name, values.mean(axis=1)) for name, values in kinds]))
    panels.append(against("Double occupancy", "<n_up n_down>", [("", double.mean(axis=1))]))
else:
    panels.append({"title": "Nearest-neighbour correlation", "x_label": "bond", "y_label": "<Sz Sz>", "series": [
        {"label": f"beta = {betas[-1]:g}", "x": list(range(n - 1)), "y": made.bond_correlations[-1], "style": "points"}]})
    panels.append(against("Magnetisation", "mean magnetisation", [
        (name, GIVEN["spin_scale"] * np.array(made.site_values[name]).mean(axis=1)) for name in ("Sx", "Sz")]))
for quantity in ("heat_capacity_per_site", "entropy"):
    found = [one for one in RECORDS if one["quantity"] == quantity and one["axes"][0]["name"] == "beta"]
    if found:
        panels.append(against(quantity.replace("_", " "), quantity.replace("_", " "), [("", found[0]["value"])]))
Path("img").mkdir(exist_ok=True)
plot_lines(PlotLinesInput(path="img/thermal.png", title="Gibbs state", panels=panels))
save("results/thermal_chain.json", {"t": GIVEN["hopping"], "U": GIVEN["interaction"], "mu": GIVEN["chemical_potential"],
     "L": n, "beta": betas[-1], "energy_convention": GIVEN["energy_convention"], "exchange": GIVEN["exchange"],
     "fields": GIVEN["fields"], "step": GIVEN["step"], "chi_max": GIVEN["chi_max"], "svd_min": GIVEN["svd_min"],
     "spin_operators": "Pauli" if GIVEN["spin_scale"] == 2 else "S = sigma/2", "method": "purification TEBD, second order"})
'''
