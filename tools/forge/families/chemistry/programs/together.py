"""What follows from several molecules: reactions, strain, acids."""

from __future__ import annotations

COMBINE = '''
def at_temperature(value, k):
    """The k-th of several values, or the only one."""
    return value[k] if isinstance(value, list) else value


def known(level):
    """Quantity and molecule -> value, of the molecules' results at a level."""
    method = GIVEN["names"].get(level["method"].lower(), level["method"])
    wanted = {"method": method, "basis": level["basis"], **medium(level)}
    found = {}
    for one in json.loads(Path(GIVEN["path"]).read_text(encoding="utf-8"))["records"]:
        labels = one["labels"]
        if all(labels.get(key) == value for key, value in wanted.items()) and "state" not in labels:
            found.setdefault((one["quantity"], labels.get("molecule")), one["value"])
    return found


def energies_of(treatment, level, values):
    """Correlated energies in place of those of the level."""
    labels = {"method": GIVEN["names"][treatment.lower()], "basis": level["basis"], **medium(level)}
    found = dict(values)
    for one in json.loads(Path(GIVEN["path"]).read_text(encoding="utf-8"))["records"]:
        if one["quantity"] == "energy" and all(one["labels"].get(key) == value for key, value in labels.items()):
            found["energy", one["labels"].get("molecule")] = one["value"]
    return found


def crossing(temperatures, ends):
    """Where the Gibbs energy vanishes between two temperatures: a cubic with its values and slopes -S at both ends."""
    (t0, t1), width = temperatures, temperatures[1] - temperatures[0]
    y0, y1 = (one["gibbs"] for one in ends)
    s0, s1 = (width * (one["gibbs"] - one["enthalpy"]) / t for one, t in zip(ends, temperatures))
    low, high = 0.0, 1.0
    for _ in range(60):
        x = (low + high) / 2
        y = (2 * x**3 - 3 * x**2 + 1) * y0 + (x**3 - 2 * x**2 + x) * s0 + (3 * x**2 - 2 * x**3) * y1 + (x**3 - x**2) * s1
        low, high = (x, high) if y * y0 > 0 else (low, x)
    return t0 + width * (low + high) / 2


def main():
    """What follows from the molecules together."""
    several = len(GIVEN["levels"]) > 1
    first, by_name, everything = {}, {}, {}
    quantities = ["energy", "enthalpy", "gibbs"] if GIVEN["thermochemistry"] else ["energy"]
    for level in GIVEN["levels"]:
        values = known(level)
        first = first or values
        how = {"method": GIVEN["names"].get(level["method"].lower(), level["method"]), "basis": level["basis"]}
        how = {**how, **medium(level)} if several else {}
$PROTONS        reactions = {}
$REACTIONS        by_name = by_name or reactions
    values, reactions = first, everything
$LADDER$ACIDS$BARS
    save(GIVEN["path"], GIVEN["parameters"])


main()
'''

PROTONS = """        for name in GIVEN["bare_protons"]:
            proton = [
                ideal_gas_thermochemistry(
                    IdealGasThermochemistryInput(
                        energy=0.0, masses=[1.00728], positions=[[0.0, 0.0, 0.0]], frequencies=[], multiplicity=1,
                        symmetry_number=1, temperature=temperature, pressure=GIVEN["pressure"],
                    )
                )
                for temperature in GIVEN["temperatures"]
            ]
            values["energy", name] = 0.0
            values["enthalpy", name] = along([one.enthalpy for one in proton])
            values["gibbs", name] = along([one.gibbs for one in proton])
"""

REACTIONS = """        for reaction in GIVEN["reactions"]:
            rows = []
            for k in range(len(GIVEN["temperatures"])):
                species = [
                    {
                        "formula": term["formula"], "charge": term["charge"], "coefficient": term["coefficient"],
                        "values": {q: at_temperature(values[q, term["species"]], k) for q in quantities},
                    }
                    for term in reaction["terms"]
                ]
                rows.append(reaction_thermochemistry(ReactionThermochemistryInput(species=species)).kcal_per_mol)
            tag = f", {how['method']}/{how['basis']}{', ' + how['solvent'] if 'solvent' in how else ''}" if several else ""
            everything[reaction["name"] + tag] = rows
            reactions[reaction["name"]] = rows
            shown = {q: [one[q] * GIVEN["unit_per_kcal"] for one in rows] for q in quantities}
            for quantity in quantities:
                value = along(shown[quantity]) if quantity != "energy" else shown[quantity][0]
                axes = warm() if quantity != "energy" else []
                note(f"reaction_{quantity}", value, GIVEN["unit"], axes, reaction=reaction["name"], **how)
            if GIVEN["thermochemistry"]:
                zero = sum(
                    t["coefficient"] * (values["energy", t["species"]] + values.get(("zero_point_energy", t["species"]), 0.0))
                    for t in reaction["terms"]
                )
                zero *= GIVEN["unit_per_kcal"] * 627.5094740631
                note("reaction_energy_with_zpe", zero, GIVEN["unit"], reaction=reaction["name"], **how)
                joule = 4184.0  # J of a kcal
                entropy = [joule * (one["enthalpy"] - one["gibbs"]) / t for one, t in zip(rows, GIVEN["temperatures"])]
                note("reaction_entropy", along(entropy), "J/(mol K)", warm(), reaction=reaction["name"], **how)
            free = shown.get("gibbs", [])
            for k in range(len(free) - 1):
                if free[k] * free[k + 1] < 0:
                    at = crossing(GIVEN["temperatures"][k : k + 2], rows[k : k + 2])
                    note("sign_change_temperature", at, "K", reaction=reaction["name"], **how)
            if GIVEN["inverted"]:
                for quantity in quantities[1::-1]:
                    value = along([-one for one in shown[quantity]]) if quantity != "energy" else -shown[quantity][0]
                    axes = warm() if quantity != "energy" else []
                    note(GIVEN["inverted"], value, GIVEN["unit"], axes, reaction=reaction["name"], quantity=quantity, **how)
            if GIVEN["equilibrium"]:
                # k T at the temperature, in kcal/mol; the standard state is the ideal gas at the pressure of the task
                constant = [math.exp(-one["gibbs"] / (0.00198720425864 * t)) for one, t in zip(rows, GIVEN["temperatures"])]
                note("equilibrium_constant", along(constant), "1", warm(), reaction=reaction["name"], **how)
            print(f"{reaction['name']}: {shown} {GIVEN['unit']}", flush=True)
            for treatment in GIVEN["treated"][level["basis"]]:
                better = energies_of(treatment, level, values)
                energy = sum(t["coefficient"] * better["energy", t["species"]] for t in reaction["terms"])
                note("reaction_energy", energy * 627.5094740631 * GIVEN["unit_per_kcal"], GIVEN["unit"],
                     reaction=reaction["name"], method=GIVEN["names"][treatment.lower()], basis=level["basis"])
"""

LADDER = """
    rungs = [reaction for reaction in GIVEN["reactions"] if reaction["ring"]]
    for quantity in quantities[1:]:
        ladder = ring_strain_ladder(
            RingStrainLadderInput(
                ring_sizes=[one["ring"] for one in rungs], reference=GIVEN["strain_reference"],
                reaction_energies=[by_name[one["name"]][0][quantity] for one in rungs],
            )
        )
        axis = {"name": "ring_size", "values": ladder.ring_sizes, "unit": ""}
        note("ring_strain", ladder.strain, "kcal/mol", [axis], quantity=quantity)
        print(f"strain by {quantity}: {dict(zip(ladder.ring_sizes, ladder.strain))}", flush=True)
"""

ACIDS = """
    calibration = [
        {"gibbs_acid": values["gibbs", one["acid"]], "gibbs_base": values["gibbs", one["base"]], "pka": one["pka"]}
        for one in GIVEN["acids"] if one["pka"] is not None
    ]
    for one in GIVEN["acids"]:
        acid, base = values["gibbs", one["acid"]], values["gibbs", one["base"]]
        note("reaction_gibbs", base - acid, "hartree", reaction=f"{one['acid']} deprotonation")
        if one["pka"] is not None:
            continue
        found = acid_dissociation_constant(
            AcidDissociationConstantInput(
                gibbs_acid=acid, gibbs_base=base, temperature=GIVEN["temperature"],
                proton_free_energy=None if calibration else GIVEN["proton_free_energy"], known_acids=calibration,
            )
        )
        note("pka", found.pka, "1", acid=one["acid"])
        if calibration:
            note("proton_free_energy", found.proton_free_energy, "kcal/mol")
            note("proton_spread", found.proton_spread, "kcal/mol")
            names = [other["acid"] for other in GIVEN["acids"] if other["pka"] is not None]
            for name, value in zip(names, found.proton_of_each):
                note("proton_of_acid", value, "kcal/mol", acid=name)
        print(f"pKa of {one['acid']}: {found.pka:.2f}, proton {found.proton_free_energy:.2f} kcal/mol", flush=True)
"""
