"""Words of what a chemistry text orders that nobody knows: a result that no recipe gives must not be passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.page import Page, negated
from labwright.agents.tool_forging.readers.chemistry.vocabulary import WORDS
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.orders import orders
from labwright.tools.forge.families.chemistry.molecules import MOLECULES
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec

_NAMES = frozenset(word for name in MOLECULES for word in re.findall(r"[a-z]+", name.lower()))
_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.):])\s+(?=\S)")
_LEAD = re.compile(
    r"\b(?:wanted?|report|propert(?:y|ies)|outputs?|deliverables?|results?|numbers|quantities|needed?|required|asked|"
    r"tell|give|list|compute|calculate|print|know|entered)\b[^:]*:\s*(?P<rest>.*)$",
    re.I,
)


def strange_words(page: Page, spec: ChemistrySpec, others: str) -> Unread | None:
    """The first order or item of a list of results with words that nobody knows, as a refusal; None if there is none.

    Args:
        others: pattern of words that tell that a sentence is another family's.
    """
    names = {word for one in spec.species for word in re.findall(r"[a-z]+", one.name.lower())}
    for words in _ordered(page):
        if re.search(others, words, re.I):
            continue
        bare = re.sub(r"`?[\w./-]+\.(?:csv|png|json|pdf|xyz|txt|md)\b`?", "the file", words)
        bare = re.sub(r"\\[A-Za-z]+", " ", bare)  # LaTeX
        left = [one for one in unknown_words(bare, WORDS | _NAMES | names) if not _is_known(page, one)]
        left = [one for one in left if not negated(words[: words.find(one)])]
        if left:
            shown = ", ".join(dict.fromkeys(left))
            plain = words.removeprefix(_GIVE)
            return Unread(plain, f"The recipes of chemistry know nothing of: {shown}.", (plain,))
    return None


_GIVE = "Give the "


def _ordered(page: Page) -> Iterator[str]:
    """What a text orders: its demands, and the items below a line that orders or behind a key such as `wanted`."""
    yield from (one.words for one in demands(page.task))
    below = False
    for line in page.body.splitlines():
        item = _ITEM.match(line)
        if item is None:
            lead = _LEAD.search(line)
            below = line.rstrip().endswith(":") and (lead is not None or orders(line)) if line.strip() else below
            if lead and lead["rest"].strip():
                yield from _parts(lead["rest"])
        elif below:
            yield from _parts(line[item.end() :])


def _parts(words: str) -> Iterator[str]:
    """The things of a list, each as an order."""
    plain = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", words)
    for part in re.split(r"[;:.](?=\s|$)", plain)[:1]:
        yield _GIVE + part.strip()


def _is_known(page: Page, word: str) -> bool:
    """Whether a word stands only in what was read."""
    places = [one.span() for one in re.finditer(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", page.body)]
    return bool(places) and all(any(a <= start and end <= b for a, b in page.spans) for start, end in places)
