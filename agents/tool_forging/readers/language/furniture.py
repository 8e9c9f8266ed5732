"""What surrounds a task and is none of it: salutations, closings, dates, rooms, pages, the heads of letters.

Everything here is blanked at the same length before anybody reads the text. None of it may hold a quantity, a
condition or a wish: names hold no word of the field, numbers stand behind the name of a place or within a date.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from labwright.agents.tool_forging.readers.language.lexicon import FIELD
from labwright.agents.tool_forging.readers.language.orders import orders
from labwright.agents.tool_forging.readers.language.units import UNIT

_MARKS = r"[ \t>*_#|]*"  # of Markdown around a line
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)"
)
_WEEKDAY = r"(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
_OF_THIS = (
    r"of (?:this|the|my|our) (?:request|letter|sheet|note|notebook|text|document|report|memo|mail|course|thesis)\b"
)
_BREAK = r"(?=\s*(?:[.,;:)\]*_|]|$|-\s|--|\u2013|\u2014|" + _OF_THIS + "))"
DATE = re.compile(
    rf"\b(?:{_WEEKDAY}\.?,?\s+)?\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH}\b\.?(?:,?\s+(?:19|20)\d\d\b)?|"
    rf"\b(?:{_WEEKDAY},?\s+)?{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+(?:19|20)\d\d\b|{_BREAK})|"
    rf"\b{_MONTH}\s+(?:19|20)\d\d\b|"
    rf"\b{_WEEKDAY}\.?,?\s+\d{{1,2}}[./]\d{{1,2}}(?:[./](?:\d{{4}}|\d\d))?(?![\d.]*\s*(?:{UNIT})\b)|"
    r"\b(?:19|20)\d\d-[01]\d-[0-3]\d\b|\b[0-3]?\d[./][01]?\d[./](?:19|20)\d\d\b",
    re.M,
)
_PLACE = re.compile(
    r"\b(?:room|floor|building|office|pages?|pp?\.|ticket|notebook|(?:lab|internal|technical|research) note|"
    r"sheet|ext\.|phone|tel\.?|chapter|lecture|exercise|problem|homework|assignment|memo|week|"
    r"version|revision)"
    r"[ \t]*(?:no\.?|nr\.?|number|#)?[ \t]*"
    rf"\d[\d./-]{{0,9}}(?<![./-]){_BREAK}",
    re.I | re.M,
)
_FILED = re.compile(
    r"\b(?:project|invoice|job|request|file|grant|reference|student|account) (?:number|no\.|nr\.|#) ?\d[\d./-]*", re.I
)
_NAME = r"(?:(?:Dr|Prof|Mr|Mrs|Ms)\.?|[A-Z]\.|[A-Z][a-z\u00c0-\u024f]+(?:[-'][A-Z]?[a-z\u00c0-\u024f]+)*)"
_ADDRESSED = rf"(?:there|all|everyone|everybody|again|dear|team|colleagues?|friends?|sirs?|madams?|or|and|{_NAME})"
_GREETING = r"(?i:Dear|Hello|Hi|Hey|Hallo|Greetings|Good\s+(?:morning|afternoon|evening|day))"
_SALUTATION = re.compile(
    rf"^{_MARKS}(?P<words>{_GREETING}(?:,?[ \t]+{_ADDRESSED}){{0,5}}[ \t]*(?:[,!.:]+(?=\s|$)|$))", re.M
)
_INTRODUCED = re.compile(
    rf"^{_MARKS}(?:{_GREETING}\b[^.!?\n]{{0,20}}[,!.][ \t]*)?(?P<words>(?:I am|I'm|[Mm]y name is)[ \t]+{_NAME}"
    rf"(?:[ \t]+{_NAME}){{0,2}}(?:,?[ \t]+(?:from|of|at|in)[ \t]+[A-Za-z ,'-]{{2,50}})?\.)(?=\s|$)",
    re.M,
)
_THANKS = r"(?:thanks?|thx|thank you|cheers|ciao|groetjes|regards|sincerely|faithfully|respectfully|yours|best|mfg)"
_WARM = (
    r"(?:thank you|many|much|very|so|a lot|lots|again|in advance|for (?:your|the) (?:help|time|effort)|with|and|"
    r"kind(?:est)?|warm(?:est)?|best|wishes|truly|ever|all the|greetings|you|to you|"
    r"looking forward(?: to [a-z ]{3,30})?)"
)
_CLOSING = re.compile(
    rf"(?:^{_MARKS}|(?<=[.!?;)])[ \t]+)(?P<words>(?:(?i:{_WARM})[ \t]+){{0,3}}(?i:{_THANKS})\b"
    rf"(?:[ \t]+(?i:{_WARM}|{_THANKS})){{0,5}}"
    rf"(?:[ \t]*[,!.][ \t]*(?:{_NAME}[ \t]*){{0,4}}|[ \t]*))[.!]*[ \t]*(?P<end>$)",
    re.M,
)
_SIGNED = re.compile(rf"^[ \t]*(?:(?:{_NAME}|van|von|de|of|from|for|and|the|group)[ \t,.&]*){{1,6}}$", re.M)
_WHO = (
    r"(?:(?:Requested|Asked|Submitted) by|Client|Customer|Supervisor|E-?mail|From|To|Cc|Bcc|Date|Sent|Name|Group|"
    r"Applicant|Contact|Phone|Room|Author)"
)
_HEAD = re.compile(rf"^{_MARKS}(?P<words>(?P<who>{_WHO})\**[ \t]*[:|](?P<value>[^\n]*))$", re.M)
_REACHED = re.compile(
    r"(?:\be-?mail\s*:?\s*)?\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b|"
    r"\b(?:Phone|Tel|Fax)\b\.?\s*:?\s*\+?\d[\d ()/-]{3,}\d",
    re.I,
)
# what politeness says; a word of the field or a number in it keeps it
_POLITE = (
    r"I hope (?:this|that|you|all|everything)\b[^.!?\n]{0,30}\b(?:well|fine|good health|rest|vacation|holidays?)\b",
    r"(?:sorry|apologies|my apologies) (?:for|to)\b",
    r"(?:please )?(?:do not|don't) hesitate to\b",
    r"(?:please )?let me know if (?:you|anything|something|there are (?:any )?questions)\b",
    r"(?:if|should) (?:anything|something) (?:is|be) (?:unclear|missing)\b",
    r"(?:below|attached|here),? (?:you (?:will )?find|is|are) (?:the|my|our|all) (?:specification|details|particulars|"
    r"description|text|request|parameters|settings)\b",
    r"(?:I am|I'm|we are) (?:not an? expert|no experts?|not experts|new|an? (?:newcomer|beginner|layman)|beginners|"
    r"newcomers)\b",
)
_COURTESY = re.compile(
    rf"(?:^[ \t]*|(?<=[.!?:])[ \t]+)(?P<words>(?:{'|'.join(_POLITE)})[^.!?:\d=\n]{{0,80}}(?:[.!?:]+(?=\s|$)|$))",
    re.I | re.M,
)
_LETTER = {"From", "To", "Cc", "Bcc", "Date", "Sent", "Name", "Group"}  # heads that mean people only above a letter
_TOPIC = re.compile(
    r"^(?P<mark>[ \t]*(?:\*\*)?(?:Subject|Re|Betreff|Title|Topic|Task|Request|Project)[ \t]*:[ \t*]*)(?P<rest>[^\n]+)$",
    re.M | re.I,
)
_STATED = re.compile(
    r"[\d=|<>\\$_^]|\b(?:states?|levels?|ground|excited|gates?|sites?|qubits?|up|down|zero|one|first|second|last|left|"
    r"right|start|end|begin\w*|stop|step|plus|minus)\b",
    re.I,
)


def without_furniture(text: str) -> str:
    """The text with blanks in place of letter furniture, dates and places; a line about the topic becomes a heading."""
    for pattern in (DATE, _PLACE, _FILED, _REACHED):
        text = pattern.sub(_blank, text)
    text = _INTRODUCED.sub(_if(_says_nothing, _blank_words), text)
    text = _COURTESY.sub(_if(_says_nothing, _blank_words), text)
    text = _SALUTATION.sub(_if(_says_nothing, _blank_words), text)
    text = _HEAD.sub(_if(_is_address, _blank_words), text)
    text = _TOPIC.sub(_heading, text)
    return _without_closing(text)


def _without_closing(text: str) -> str:
    """Closing words, and the names below them."""
    for match in reversed(list(_CLOSING.finditer(text))):
        if not _says_nothing(match):
            continue
        stop = match.end()
        while (line := _SIGNED.match(text, stop + 1)) and line[0].strip() and not _of_the_field(line[0]):
            stop = line.end()
        text = text[: match.start("words")] + _spaces(text[match.start("words") : stop]) + text[stop:]
    return text


def _heading(match: re.Match[str]) -> str:
    """A line that names the topic as a heading of the same length, unless it sets a number or orders something."""
    if re.search(r"[\d=]", match["rest"]) or len(match["rest"]) > 90 or orders(match["rest"]):
        return match[0]
    if match.string[: match.start()].strip():  # only above everything else
        return match[0]
    return "# ".ljust(len(match["mark"])) + match["rest"]


def _if(holds: Callable[[re.Match[str]], bool], then: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    return lambda match: then(match) if holds(match) else match[0]


def _says_nothing(match: re.Match[str]) -> bool:
    return not re.search(r"\d", match["words"]) and not _of_the_field(match["words"])


def _is_address(match: re.Match[str]) -> bool:
    """Whether a head such as ``From:`` names people or a place; ``From: |0>`` is a start and stays."""
    above = [one for one in match.string[: match.start()].splitlines() if one.strip(" \t>*_#|-")]
    if match["who"] in _LETTER and not all(_HEAD.match(one) for one in above):
        return False
    return not _STATED.search(match["value"]) and not _of_the_field(match["value"])


def _of_the_field(words: str) -> bool:
    plain = re.sub(r"\bin (?:this|the|that|your) field\b", " ", words.lower())
    return any(one in FIELD or one.removesuffix("s") in FIELD for one in re.findall(r"[a-z][a-z-]+", plain))


def _blank(match: re.Match[str]) -> str:
    return _spaces(match[0])


def _blank_words(match: re.Match[str]) -> str:
    start, end = match.start("words") - match.start(), match.end("words") - match.start()
    return match[0][:start] + _spaces(match[0][start:end]) + match[0][end:]


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
