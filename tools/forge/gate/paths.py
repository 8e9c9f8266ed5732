"""The check ``rules``, fourth part: a tool reads and writes only where a field of its input says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from labwright.tools.forge.gate.draft import Draft, Origins, functions
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.findings import GateFinding

_WORDS = ("path", "file", "folder", "directory")
_METHODS = frozenset(
    "write_text write_bytes read_text read_bytes open mkdir unlink rename touch savefig save tofile to_csv to_file"
    " write_image dump rmdir symlink_to hardlink_to chmod iterdir glob rglob exists is_file is_dir is_symlink is_mount"
    " is_block_device is_char_device is_fifo is_socket stat lstat owner group readlink resolve absolute samefile"
    " expanduser cwd home".split()
)
_FUNCTIONS = frozenset(
    "open io.open numpy.save numpy.savez numpy.savez_compressed numpy.savetxt numpy.loadtxt numpy.genfromtxt"
    " numpy.fromfile numpy.memmap matplotlib.pyplot.savefig matplotlib.pyplot.imsave matplotlib.image.imsave json.dump"
    " ase.io.write ase.io.read scipy.io.savemat scipy.io.loadmat scipy.io.wavfile.write".split()
)
# A handle, not a path, is what these take; opening it was looked at already.
_TAKES_HANDLE = frozenset(("json.dump",))
_READS = re.compile(r"(read|load|write|save|open)(_|$)|(im)?(read|load|write|save)$")  # of any package
_TEMPORARY = ("tempfile.TemporaryDirectory", "tempfile.NamedTemporaryFile", "tempfile.mkdtemp", "tempfile.mkstemp")


def check_paths(draft: Draft) -> Iterator[GateFinding]:
    """Findings of files that are touched without the input naming them."""
    origins = Origins(draft.tool.tree)
    for function in functions(draft.tool.tree):
        allowed = _allowed(function, origins)
        for node in ast.walk(function):
            touched = _touches(node, origins) if isinstance(node, ast.Call) else None
            if touched is not None and not any(_mentions(one, allowed, origins.imported) for one in touched):
                yield finding("files", getattr(node, "lineno", 0), found=ast.unparse(node)[:80])
    for node in draft.tool.tree.body:
        for inner in ast.walk(node) if not isinstance(node, ast.FunctionDef | ast.ClassDef) else []:
            if isinstance(inner, ast.Call) and _touches(inner, origins) is not None:
                yield finding("files", inner.lineno, found=ast.unparse(inner)[:80])


def _touches(node: ast.Call, origins: Origins) -> list[ast.expr] | None:
    """The expressions one of which must come from the input; None if no file is touched."""
    name = origins.of(node.func)
    given = [*node.args, *(one.value for one in node.keywords)]
    if name in _FUNCTIONS or (
        "." in name and name.split(".")[0] in origins.tops and _READS.match(name.rsplit(".", 1)[1])
    ):
        return given
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _METHODS or name in _TAKES_HANDLE:
        return None
    if node.func.attr in ("save", "dump", "rename", "open", "glob", "tofile") and not given:
        return None
    if node.func.attr in ("savefig", "save", "tofile", "to_csv", "to_file", "write_image"):
        return given
    return [node.func.value, *given] if node.func.attr in ("rename", "dump") else [node.func.value]


def _allowed(function: ast.FunctionDef | ast.AsyncFunctionDef, origins: Origins) -> set[str]:
    """Names in a function that come from a path of the input, or from a temporary folder."""
    found = {
        one.arg
        for one in [*function.args.args, *function.args.kwonlyargs]
        if _is_path_word(one.arg) or (one.annotation is not None and "Path" in ast.unparse(one.annotation))
    }
    for _ in range(4):  # a name may come from a name
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and _mentions(node.value, found, origins.imported):
                found |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
            elif isinstance(node, ast.With):
                for item in node.items:
                    source = item.context_expr
                    temporary = isinstance(source, ast.Call) and origins.of(source.func) in _TEMPORARY
                    if (temporary or _mentions(source, found, origins.imported)) and isinstance(
                        item.optional_vars, ast.Name
                    ):
                        found.add(item.optional_vars.id)
    return found


def _mentions(node: ast.expr, allowed: set[str], imported: frozenset[str]) -> bool:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id in allowed:
            return True
        base = one.value if isinstance(one, ast.Attribute) and _is_path_word(one.attr) else None
        if isinstance(base, ast.Name) and base.id not in imported:
            return True
    return False


def _is_path_word(name: str) -> bool:
    return any(word in name.lower() for word in _WORDS)
