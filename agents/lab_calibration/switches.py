"""What an instruction switches on or off, and which of a few words it chooses."""

from __future__ import annotations

import re

from labwright.agents.lab_calibration.lexicon import NEUTRAL
from labwright.agents.lab_calibration.word_forms import words
from labwright.tools.experiments.call import ExperimentCard
from labwright.tools.experiments.check_call import GROUP, PARTNER, QUBIT_PARAMETERS
from labwright.tools.experiments.wording import choice_words

_SAVE = (
    r"(?:updat\w*|writ(?:e|es|ing|ten)\b(?:[- ]?back)?|sav(?:e|es|ed|ing)|stor(?:e|es|ed|ing)|overwrit\w*"
    r"|chang(?:e|es|ed|ing)"
    r"|touch(?:ed|ing)?|modif\w+|commit\w*|persist(?:ed|ing)?|alter(?:ed|ing)?|replac(?:e|ed|ing)|adopt\w*"
    r"|set(?:ting)? anything)"
)
_KEPT = (
    r"(?:exactly |just |precisely )?(?:unchanged|untouched|unmodified|alone|as (?:they are|it is|is)|as-is|in place"
    r"|frozen|fixed(?! (?:to|at|by|on)\b)|intact|where (?:it is|they are))"
)
_SETTINGS = (
    r"(?:settings?|values?|parameters?|calibrations?|configuration|config|amplitudes?|frequency|threshold|numbers?"
    r"|coefficient|discriminator|drive|thing|anything|setup|register|table|record|database)"
)
_END = r"[^.,;|]*?(?=\s+\d|[.,;|!?]|\s+(?:with|on|for|from|until|and|but|please|pls)\b|$)"
_LEAD = r",?\s*(?:\b(?:but|and|then|please|just|so)\s+)*"
NOT_UPDATE = re.compile(
    rf"{_LEAD}(?:\b(?:without|w/o|do not|don['’]?t|never|no|not|nothing"
    rf"|nor)\s+(?:(?!\d)[\w-]+\s+){{0,4}}?{_SAVE}\b{_END}"
    rf"|--no-(?:updat\w*|sav\w*|write\w*|store\w*)|\b{_SAVE}\s+(?:absolutely )?nothing\b(?: else)?"
    rf"|\b(?:leav(?:e|ing)|keep(?:ing)?|let(?:ting)?)\s+(?=[^.,;]*\b{_KEPT}){_END}"
    rf"|\bkeep(?:ing)?\s+(?:the\s+|our\s+|my\s+)?(?:old|present|current|existing|stored|previous)\s+{_SETTINGS}"
    rf"|\b(?:\w+\s+)?{_SETTINGS}\s*(?:(?:is|are|to be|to remain|to stay|stays?|remains?|left|kept"
    rf"|must (?:be|stay|remain)|shall be|should stay|should remain|should be left)\s+)*{_KEPT}"
    rf"|\b{_SETTINGS}\s+(?:is|are|must|shall|should)?\s*not\s+(?:to\s+)?(?:be\s+)?{_SAVE}"
    rf"|\b(?:updat\w*|write[- ]?back|sav(?:e|ing)|overwrite|write|store)"
    rf"(?:\s*(?:\w+\s+){{0,3}}[:=]?|(?:\s+\w+){{1,3}}\s*[:=])\s*(?:no|off|false|0"
    rf"|disabled)\b(?!\.\d)"
    r"|\b(?:report|read|look|measure|measurement|check|diagnostic)[- ]only\b|\bdry[- ]run\b|\bonly (?:report"
    r"|look|looking|a look)\b|\bread[- ]only\b"
    r"|\bjust (?:look(?:ing)?|report|checking|to look)\b|\bfor information only\b|\bno (?:write[- ]?back"
    r"|settings? (?:update|change))\b)",
    re.IGNORECASE,
)
_UPDATE = re.compile(
    rf"{_LEAD}(?:\bupdat\w*\s*[:=]?\s*(?:yes|on|true)\b|\b(?:updat\w*|writ\w*|sav\w*|stor\w*|commit\w*|put|keep"
    rf"|apply|adopt)\s+(?:(?!\d)[\w-]+\s+){{0,5}}?(?:settings|setting|configuration|config|result|it\b"
    rf"|value)(?:\s*[:=]?\s*yes)?"
    r"|\bwrite[- ]?back\s*[:=]?\s*(?:yes|on|true)?)\b",
    re.IGNORECASE,
)


def switches(text: str, card: ExperimentCard) -> tuple[dict[str, str], str]:
    """Arguments for the switches of `card` that `text` names, and the text with their words blanked."""
    found: dict[str, str] = {}
    if not any(parameter.name == "update" for parameter in card.parameters):  # it changes nothing anyway
        text = NOT_UPDATE.sub(lambda match: " " * len(match.group()), text)
    for parameter in card.parameters:
        if parameter.type != "bool":
            continue
        value, match = _switch(text, parameter.name, bool(parameter.default))
        if match is not None and value is not None:
            found[parameter.name] = repr(value)
            # Numbers keep their places, so that switches are blanked and not cut.
            text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return found, text


def _switch(text: str, name: str, default: bool) -> tuple[bool | None, re.Match[str] | None]:
    if match := re.search(rf"\b{name}\s*[=:]\s*(true|false|yes|no|on|off|0|1)\b(?!\.\d)", text, re.I):
        return match[1].lower() in ("true", "yes", "on", "1"), match
    if name == "update":
        if match := NOT_UPDATE.search(text):
            return False, match
        return (True, _UPDATE.search(text)) if not default else (None, None)
    no = (
        rf"\b(?:(?:without|no|w/o|skip(?:ping)?|drop(?:ping)?|omit(?:ting)?|not use|don['’]?t use)\s+(?:an?\s+"
        rf"|the\s+|any\s+)?{name}\w*(?:\s+pulses?)?|{name}(?:ing)?(?:\s+pulses?)?\s*(?:off|disabled"
        rf"|switched off|turned off)|un{name}ed|non-?{name}\w*)\b"
    )
    if default and (match := re.search(no, text, re.I)):
        return False, match
    yes = rf"\bwith\s+(?:an?\s+|the\s+)?{name}\b|\b{name}\s*(?:on|enabled)\b"
    return (True, re.search(yes, text, re.I)) if not default else (None, None)


def choices(text: str, card: ExperimentCard) -> dict[str, str]:
    """A word where a parameter takes one of a few, which its description lists: "ghz, bell or plus."."""
    found = {}
    for parameter in card.parameters:
        if parameter.type != "str" or parameter.name in (*QUBIT_PARAMETERS, PARTNER, GROUP):
            continue
        listed = re.split(r",\s*(?:or\s+)?|\s+or\s+", parameter.description.partition(".")[0])
        if len(listed) < 2 or not all(re.fullmatch(r"\w+", word) for word in listed):
            continue
        told = {word: _told(text, word, parameter.name, choice_words(card.name, word)) for word in listed}
        # "|0> + |1>" is said where "|0>" is, too: what is longest counts
        chosen = [
            word
            for word in listed
            if told[word] and not any(told[word] in other and told[word] != other for other in told.values())
        ]
        if len(chosen) == 1:
            found[parameter.name] = repr(chosen[0])
    return found


def _told(text: str, word: str, parameter: str, others: tuple[str, ...]) -> str:
    """The words of `text` that choose `word`; empty if none."""
    close = re.sub(r"\s*([+|>⟩])\s*", r"\1", text.lower())
    said = words(text)
    # "one" and the like are a choice only where they stand before what is chosen: "the one state"
    plain = word in said and word not in NEUTRAL and word not in ("zero", "one")
    beside = re.search(rf"\b{word}[\s-]{parameter}\b|\b{parameter}\s*[=:]?\s*['\"]?{word}\b", text, re.I)
    spelled = [other.lower() for other in others if other.lower() in close or other.lower() in text.lower()]
    return max(spelled, key=len, default=word if plain or beside else "")
