"""Scripts of families as text: imports of the tools, the task's numbers, and a body that works with both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

_RECORDS = '''

RECORDS = []


def record(quantity, value, unit="", axes=(), **labels):
    """Keep one result; axes are (name, values, unit)."""
    made = [{"name": name, "values": [float(one) for one in values], "unit": unit_} for name, values, unit_ in axes]
    RECORDS.append({"quantity": quantity, "labels": labels, "axes": made, "value": value, "unit": unit})


def save(path, parameters):
    """Write all results."""
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(json.dumps({"parameters": parameters, "records": RECORDS}))
    print(f"wrote {path}: {len(RECORDS)} records")

'''


def program(
    purpose: str, imports: Mapping[str, str], recipes: Sequence[str], given: Mapping[str, Any], body: str
) -> str:
    """A script: it imports recipes with their input models, holds `given` as GIVEN, and runs `body`.

    `body` may call ``record(quantity, value, unit, axes, **labels)`` and ``save(path, parameters)``.
    """
    lines = []
    for name in recipes:
        camel = "".join(part.capitalize() for part in name.split("_"))
        lines.append(f"from {imports[name]} import {camel}Input, {name}")
    data = pformat(dict(given), width=116, compact=True, sort_dicts=False)
    said = purpose.replace('"', "'").replace("\\", "/")
    head = f'"""{said}"""\n\nimport json\nimport math\nfrom pathlib import Path\n\nimport numpy as np\n'
    return head + "\n".join(sorted(lines)) + f"\n\nGIVEN = {data}\n" + _RECORDS + body.lstrip("\n")
