"""Energies along a bond."""

from __future__ import annotations

SCAN = '''
def main():
    """Energies along a bond."""
    species, scan, level = GIVEN["species"], GIVEN["scan"], GIVEN["levels"][0]
    symbols, positions, origin = structure(species)
    pairs = [
        (i, j) for i, a in enumerate(symbols) for j, b in enumerate(symbols)
        if i != j and [a, b] == scan["elements"]
    ]
    i, j = min(pairs, key=lambda pair: sum((x - y) ** 2 for x, y in zip(positions[pair[0]], positions[pair[1]])))
    bond = stretched_bond(
        StretchedBondInput(symbols=symbols, positions=positions, fixed_atom=i, moved_atom=j, distances=scan["distances"])
    )
    curves = {}
    for distance, points in zip(scan["distances"], bond.structures):
        print(f" {distance:.3f} angstrom", flush=True)
        for level in GIVEN["levels"]:
            found = mean_field_energy(MeanFieldEnergyInput(**at(level, symbols, points, species)))
            curves.setdefault((level["method"], level["basis"]), []).append(found.energy)
        for level in GIVEN["references"]:
            for name, energy in correlated(level, symbols, points, species, {}).items():
                curves.setdefault((name, level["basis"]), []).append(energy)
    axis = {"name": "distance", "values": scan["distances"], "unit": "angstrom"}
    for (method, basis), energies in curves.items():
        name = GIVEN["names"].get(method.lower(), method)
        note("energy", energies, "hartree", [axis], molecule=species["name"], method=name, basis=basis)
        lowest = min(range(len(energies)), key=energies.__getitem__)
        if scan["relative"]:
            above = [one - min(energies) for one in energies]
            note("relative_energy", above, "hartree", [axis], molecule=species["name"], method=name, basis=basis)
        if 0 < lowest < len(energies) - 1:
            (x0, x1, x2), (y0, y1, y2) = scan["distances"][lowest - 1 : lowest + 2], energies[lowest - 1 : lowest + 2]
            slope, bend = (y1 - y0) / (x1 - x0), ((y2 - y1) / (x2 - x1) - (y1 - y0) / (x1 - x0)) / (x2 - x0)
            note("equilibrium_distance", (x0 + x1) / 2 - slope / (2 * bend), "angstrom", molecule=species["name"],
                 method=name, basis=basis)
        note("scan_minimum", scan["distances"][lowest], "angstrom", molecule=species["name"], method=name, basis=basis)
    fields = {basis: energies for (method, basis), energies in curves.items() if method.upper() == "HF"}
    recovered = {}
    for (method, basis), energies in curves.items():
        if method in GIVEN["treated"].get(basis, []) and basis in fields:
            recovered[f"{method}/{basis}"] = [one - two for one, two in zip(energies, fields[basis])]
            note("correlation_energy", recovered[f"{method}/{basis}"], "hartree", [axis], molecule=species["name"],
                 method=GIVEN["names"].get(method.lower(), method), basis=basis)
    plot_lines(
        PlotLinesInput(
            path=f"img/{GIVEN['slug']}_scan.png", title=f"{species['name']}: energy along the bond {'-'.join(scan['elements'])}",
            panels=[{
                "title": "", "x_label": "distance (angstrom)", "y_label": "energy above the lowest point (hartree)" if scan["relative"] else "energy (hartree)",
                "y_log": False,
                "series": [
                    {
                        "label": f"{method}/{basis}", "x": scan["distances"], "style": "line",
                        "y": [one - min(energies) for one in energies] if scan["relative"] else energies,
                    }
                    for (method, basis), energies in curves.items()
                ],
            }, *([{
                "title": "", "x_label": "distance (angstrom)", "y_label": "correlation energy (hartree)", "y_log": False,
                "series": [{"label": name, "x": scan["distances"], "y": y} for name, y in recovered.items()],
            }] if recovered else [])],
        )
    )
    save(GIVEN["path"], GIVEN["parameters"])


main()
'''
