"""Greetings, thanks, questions about the program, and notes to keep: what the rules answer themselves."""

from __future__ import annotations

import re

from labwright.agents.front_desk.wishes import About, NoteWish, Talk

_GREETING = re.compile(
    r"^\W*(?:hello|hi|hey|hallo|moin|good (?:morning|afternoon|evening|day)|greetings|servus|yo|bye|goodbye|see you\b.*"
    r"|(?:many |ok(?:ay)?,? )?thank(?:s| you)\b.*|cheers\b.*|great|nice|perfect|well done|cool|ok(?:ay)?|that'?s all"
    r"|that is all"
    r"|how are you\b.*)(?:\s+(?:there|all|everyone|again))?\W*$",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"\bwhat can (?:you|i)\b|\bwho are you\b|\bwhat are you\b|\bhow (?:do|can) i (?:use|start|begin)\b"
    r"|^\W*(?:please )?help(?: me)?\W*$"
    r"|\bwhat do you do\b|\bwhat is (?:labwright|this)\b|\bhow does this work\b",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"^\W*(?:please )?(?:remember|note|keep in mind|from now on|don't forget|do not forget)\b(?: that)?:?[\s,]*"
    r"(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_ABOUT: tuple[tuple[About, re.Pattern[str]], ...] = (
    ("device", re.compile(r"\bdevice\b|\bprocessor\b|\w+\.\w+:\w+", re.IGNORECASE)),
    ("toolset", re.compile(r"\btoolset\b", re.IGNORECASE)),
)
GREETING = "Hello. Say what is to be calibrated, searched, computed or prepared; /help lists what there is."
THANKS = "You are welcome."
HELP = (
    "I start four kinds of work, each as a run of its own: calibrating and measuring superconducting qubits; searching"
    " a quantum feature map for a data set; computing something with tools that are forged, tested and kept; and"
    " designing a protocol for the liquid handler. I put their questions to you, show what they find, and hand results"
    " from one to the next. /help lists the commands."
)
OUT_OF_SCOPE = (
    "I cannot help with that. I calibrate qubits, search quantum feature maps, compute with forged tools and design"
    " protocols for a liquid handler."
)


def talk(text: str) -> Talk | None:
    """The reply to small talk or a question about the program; None if `text` is neither."""
    if _HELP.search(text):
        return Talk(topic="help", text=HELP)
    if _GREETING.match(text):
        thanked = re.search(r"thank|cheers|bye|that'?s all|that is all", text, re.IGNORECASE)
        return Talk(topic="small_talk", text=THANKS if thanked else GREETING)
    return None


def note(text: str) -> NoteWish | None:
    """What is to be kept in mind; None if nothing is."""
    found = _NOTE.match(text.strip())
    if found is None:
        return None
    kinds: list[About] = [about for about, pattern in _ABOUT if pattern.search(found["what"])]
    return NoteWish(about=kinds[0] if kinds else "preference", text=found["what"].strip())
