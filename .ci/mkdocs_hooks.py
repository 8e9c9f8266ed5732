"""What the documentation site needs beyond Markdown: `mkdocs build` calls these hooks.

The first page is the README and tutorials are their notebooks, so neither has a copy. A link to a file outside of
docs/, which the site does not have, becomes the file's name.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the README as ``index.md``, and a page for each notebook."""
    readme = re.sub(r"\]\(docs/", "](", (ROOT / "README.md").read_text(encoding="utf-8"))
    files.append(File.generated(config, "index.md", content=readme))
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        files.append(File.generated(config, f"tutorials/{path.stem}.md", content=page(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links of `page` as the site has them."""
    here = (ROOT / "docs" / page.file.src_uri).parent

    def link(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        if target.endswith(".ipynb"):
            return f"[{text}]({target.removesuffix('.ipynb')}.md{anchor})"
        place = (here / target).resolve()
        inside = place.is_relative_to(ROOT / "docs") and not place.is_dir() and place.suffix != ".toml"
        if inside or (page.file.src_uri == "index.md" and not (ROOT / target).exists()):
            return found[0]
        return f"{text.replace('`', '')} (`{place.relative_to(ROOT) if place.is_relative_to(ROOT) else target}`)"

    return LINK.sub(link, markdown)


def page(notebook: Path) -> str:
    """A notebook as Markdown: its text, and its code in fences."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = [("".join(cell["source"]), cell["cell_type"]) for cell in cells]
    body = "\n\n".join(text if kind == "markdown" else f"```python\n{text}\n```" for text, kind in texts)
    return f"{body}\n\n*This page is the notebook `docs/tutorials/{notebook.name}`.*\n"
