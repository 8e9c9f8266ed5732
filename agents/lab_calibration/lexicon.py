"""General lab English: words that say nothing of what is measured, and words of things that no experiment here does.

The words lie in `lexicon.toml`. Nothing in it names an experiment of the registry; what those are called stands beside
them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

_WORDS = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text(encoding="utf-8"))
_FUNCTION = frozenset(_WORDS["neutral"]["function"].split())
NEUTRAL = frozenset(word for group in _WORDS["neutral"].values() for word in group.split())

# Function words end a group of nouns: "a T1 measurement | of | the resonator".
_INSIDE = "second first final last new same own long quick one no not each every all both any some more next single"
BREAKS = (_FUNCTION - frozenset(_INSIDE.split())) | frozenset("using use used via run running take measure do".split())

FOREIGN_VERBS = frozenset(_WORDS["foreign"]["verbs"].split())
FOREIGN = frozenset(_WORDS["foreign"]["things"].split()) | FOREIGN_VERBS
FOREIGN_PHRASES = tuple(_WORDS["foreign"]["phrases"])
