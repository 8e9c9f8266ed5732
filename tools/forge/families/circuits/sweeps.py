"""What a circuit task sweeps, and the part of its scripts that makes curves of single records."""

from __future__ import annotations

from labwright.tools.forge.families.circuits.spec import CircuitSpec


def sweep_of(spec: CircuitSpec) -> str:
    """The label that curves run along: the axis, or the first number that varies; empty where nothing does."""
    if spec.axis:
        return spec.axis
    first = spec.cases[0].labels
    return next(
        (
            name
            for name in first
            if all(isinstance(case.labels.get(name), float | int) for case in spec.cases)
            and len({case.labels[name] for case in spec.cases}) > 1
        ),
        "",
    )


# records: list of dicts with quantity, labels, value; every group of them that differs in the swept label is a curve
ALONG = """
def along(found, sweep):
    groups = {}
    for one in found:
        labels = {name: value for name, value in one["labels"].items() if name != sweep}
        if sweep in one["labels"] and isinstance(one["value"], float) and "convention" not in labels:
            group = groups.setdefault((one["quantity"], tuple(labels.items())), {"x": [], "y": [], "unit": ""})
            group["x"].append(float(one["labels"][sweep]))
            group["y"].append(one["value"])
            group["unit"] = one.get("unit", "")
    return {name: group for name, group in groups.items() if len(group["x"]) > 1}


def curve_name(quantity, labels):
    name = f"<{labels['observable']}>" if "observable" in labels else ""
    name = f"P({labels['outcome']})" if "outcome" in labels else name
    rest = [f"{key} = {value}" for key, value in labels.items() if key not in {"observable", "outcome"}]
    return ", ".join([name or quantity.replace("_", " "), *rest])


def picture(curves, quantities, label, x_label):
    series = [
        {"label": curve_name(quantity, dict(labels)), "x": one["x"], "y": one["y"]}
        for (quantity, labels), one in curves.items() if quantity in quantities
    ]
    return [{"title": "", "x_label": x_label, "y_label": label, "series": series}] if series else []
"""
