"""Scripts of families: a few lines that hand the task's numbers and the tools to modules that lie beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from pprint import pformat
from typing import Any

from labwright.tools.forge.tasks.task_type import Script

_SOURCE = '''"""{purpose}"""

from types import SimpleNamespace

from {package}.{module} import main
{imports}

# The numbers of the task, as its card says them.
GIVEN = {given}
TOOLS = SimpleNamespace(
{tools}
)

main(GIVEN, TOOLS)
'''


def script(
    purpose: str, folder: Path, imports: Mapping[str, str], given: Mapping[str, Any], module: str = "main", **how: Any
) -> Script:
    """A script that calls ``main(given, tools)`` of a module in `folder`, whose modules are laid beside it.

    The modules import each other relatively, and nothing of ours but `labwright.results`. They call a tool as
    ``tools.NAME(**fields of its input)``.

    Args:
        purpose: one line.
        folder: of the modules; they come to lie in the workspace under the name of the folder that holds it.
        imports: tool -> module to import it from.
        given: the task's numbers, JSON-plain.
        module: whose ``main`` is called.
        how: other fields of the script.
    """
    package = folder.parent.name
    inputs = {name: "".join(part.capitalize() for part in name.split("_")) + "Input" for name in imports}
    lines = sorted(f"from {place} import {inputs[name]}, {name}" for name, place in imports.items())
    tools = [f"    {name}=lambda **given: {name}({inputs[name]}(**given))," for name in imports]
    source = _SOURCE.format(
        purpose=purpose.replace('"', "'").replace("\\", "/"), package=package, module=module, imports="\n".join(lines),
        given=pformat(dict(given), width=116, compact=True, sort_dicts=False), tools="\n".join(tools),
    )  # fmt: skip
    modules = {f"{package}/{one.name}": one.read_text(encoding="utf-8") for one in sorted(folder.glob("*.py"))}
    return Script(purpose, source, modules=modules, **how)
