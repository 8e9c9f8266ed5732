"""Figures: bars, curves over temperatures, overviews."""

from __future__ import annotations

BARS = """
    drawn = [q for q in GIVEN["drawn"] if q in quantities] or quantities[-2:]
    plot_bars(
        PlotBarsInput(
            path="img/reactions.png", title="Energies of reaction",
            panels=[
                {
                    "title": name, "x_label": "quantity", "y_label": GIVEN["unit"],
                    "labels": [q + (f", {t:g} K" if len(rows) > 1 else "") for t in GIVEN["temperatures"] for q in drawn],
                    "values": [one[q] * GIVEN["unit_per_kcal"] for one in rows for q in drawn],
                }
                for name, rows in reactions.items()
            ] if len(reactions) == 1 else [
                {
                    "title": quantity + (f", {t:g} K" if len(GIVEN["temperatures"]) > 1 else ""),
                    "x_label": "reaction", "y_label": GIVEN["unit"], "labels": list(reactions),
                    "values": [rows[k][quantity] * GIVEN["unit_per_kcal"] for rows in reactions.values()],
                }
                for quantity in drawn for k, t in enumerate(GIVEN["temperatures"])
            ],
        )
    )
"""

CURVES = """
    drawn = [q for q in GIVEN["drawn"] if q in quantities[1:]] or quantities[1:]
    panels = [
        {
            "title": "", "x_label": "temperature (K)", "y_label": f"{quantity} of reaction ({GIVEN['unit']})",
            "series": [
                {
                    "label": name if len(reactions) > 1 else "", "x": GIVEN["temperatures"],
                    "y": [one[quantity] * GIVEN["unit_per_kcal"] for one in rows],
                }
                for name, rows in reactions.items()
            ],
        }
        for quantity in drawn
    ]
    constants = [one for one in RECORDS if one["quantity"] == "equilibrium_constant"]
    if constants:
        panels.append({
            "title": "", "x_label": "temperature (K)", "y_label": "equilibrium constant", "y_log": True,
            "series": [
                {"label": one["labels"]["reaction"], "x": GIVEN["temperatures"], "y": one["value"]} for one in constants
            ],
        })
    plot_lines(PlotLinesInput(path="img/reactions.png", title="Energies of reaction", panels=panels))
"""

OVERVIEW = '''
def main():
    """The wanted quantities of all molecules and levels as figures: bars, or curves where they run over temperatures."""
    records = json.loads(Path(GIVEN["path"]).read_text(encoding="utf-8"))["records"]
    bars, curves, sticks = {}, {}, {}
    waves = {json.dumps(one["labels"], sort_keys=True): one["value"] for one in records if one["quantity"] == "wavelength"}
    for one in records:
        mark = json.dumps(one["labels"], sort_keys=True)
        if one["quantity"] == "oscillator_strength" and "oscillator_strength" in GIVEN["drawn"] and mark in waves:
            name = ", ".join(str(one["labels"][key]) for key in ("molecule", "functional", "basis"))
            sticks.setdefault(name, []).append((waves[mark], one["value"]))
        if one["quantity"] not in GIVEN["drawn"]:
            continue
        labels = one["labels"]
        parts = [str(labels[key]) for key in GIVEN["telling"] if key in labels]
        parts += [str(labels[key]) for key in ("numbered", "atoms", "state") if key in labels][:1]
        name = ", ".join(parts) or one["quantity"]
        key = (one["quantity"], one["unit"])
        if one["axes"]:
            curves.setdefault(key, {})[name] = (one["axes"][0], one["value"])
        elif isinstance(one["value"], list):
            bars.setdefault(key, {}).update({f"{name} {k}".strip(): value for k, value in enumerate(one["value"], 1)})
        elif isinstance(one["value"], (int, float)):
            bars.setdefault(key, {})[name] = one["value"]
    if bars:
        panels = [
            {"title": "", "x_label": "", "y_label": f"{quantity} ({unit})", "labels": list(rows), "values": list(rows.values())}
            for (quantity, unit), rows in bars.items()
        ]
        plot_bars(PlotBarsInput(path="img/overview.png", title=GIVEN["title"], panels=panels[:9]))
    if curves:
        panels = [
            {
                "title": "", "x_label": "temperature (K)", "y_label": f"{quantity} ({unit})",
                "series": [{"label": name, "x": axis["values"], "y": y} for name, (axis, y) in rows.items()],
            }
            for (quantity, unit), rows in curves.items()
        ]
        plot_lines(PlotLinesInput(path="img/temperatures.png", title=GIVEN["title"], panels=panels[:9]))
    if sticks:
        panels = [{
            "title": "", "x_label": "wavelength (nm)", "y_label": "oscillator strength",
            "series": [
                {"label": name, "x": [x for x, _ in rows], "y": [y for _, y in rows], "style": "points"}
                for name, rows in sticks.items()
            ],
        }]
        plot_lines(PlotLinesInput(path="img/spectrum.png", title=GIVEN["title"], panels=panels))
    print(f"bars of {len(bars)} quantities, curves of {len(curves)}", flush=True)


main()
'''
