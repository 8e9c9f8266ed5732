"""Which sentences order something, what they order, and which only set the scene."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.language.units import UNIT

VERBS = (
    "add animate apply assess benchmark build calculate calibrate characterise characterize chart check "
    "classify collect compare compute"
    " construct convert create decompose deliver derive design determine diagonalise diagonalize display draw "
    "encode establish estimate evaluate"
    " evolve examine export extract extrapolate factorise factorize find fit follow generate give graph hand "
    "identify implement include infer"
    " integrate investigate list locate map maximise maximize measure minimise minimize model monitor obtain "
    "optimise optimize output perform plot"
    " predict prepare present print produce propagate prove provide quantify record relax repeat report "
    "reproduce return run sample save scan send"
    " show simulate sketch solve state store study submit supply sweep tabulate tell test trace track train "
    "transpile verify visualise visualize"
    " vary watch work"
).split()
_LEAD = r"(?:(?:also|then|finally|first|please|next|now|afterwards|kindly|just|lastly|second|third)\s*,?\s+){0,3}"
# An order begins a sentence or a clause; "the plot shows" and "to find" inside a sentence are none.
ORDER = re.compile(
    r"(?:^\W*(?:\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[).:]\s*)?\W*|[,;:]\s+(?:and\s+|then\s+|also\s+|"
    r"finally\s+){0,3}|\b(?:and|then|also|finally|please|must|should|shall|to|you|let us|could you|can you)\s+)"
    rf"{_LEAD}(?P<verb>{'|'.join(VERBS)})(?![\w-])(?!(?<=state) (?:preparation|transfer|vector|space|"
    r"tomography)|(?<=model)\W{0,3}[.:])",
    re.I,
)
WISH = re.compile(
    r"\b(?:I|we)(?:'d| would| should)? (?:also |further |then )?(?:want|need|require|like|wish|ask|expect|hope)\b"
    r"|\b(?:supervisor|referee|reviewer|boss|advis[eo]r|professor|colleague|student|customer|group|team|"
    r"examiner)s? (?:also )?(?:wants?|needs?|asks? for|would like|requires?|requests?|insists? on|demands?)\b"
    r"|\b(?:is|are) (?:wanted|needed|required|requested|desired|sought|asked for|of interest|to be (?:\w+ed|"
    r"found|given|shown|drawn))\b"
    r"|\bwhat (?:is|are|was|does|do|happens|fraction|value)\b|\bhow (?:many|much|long|fast|quickly|often|far|"
    r"large|big|strong|does|do|is|are)\b|\bwhich \w+ (?:is|are|has|have)\b"
    r"|\bdeliverables?\b|^\W*(?:of interest (?:are|is)\b|(?:to be|to)\s+(?:\w+ed|done|found|given|record|report|plot)\b"
    r"[^:\n]{0,40}:|(?:wanted|requested|required|needed?|outputs?|results?|return)\b[^:.\n]{0,30}(?::|$)|"
    r"do (?:it |this |that |the same )?for\b|"
    r"(?:and )?(?:also|plus|moreover|furthermore|in addition|additionally|likewise)[,:]? "
    r"(?:the|an?|all|its|their|his|both)\b)",
    re.I,
)
# Any other verb in front of an object, at the beginning of a sentence.
_IMPERATIVE = re.compile(
    rf"^\W*{_LEAD}(?!(?i:In|On|At|For|With|From|By|As|When|While|If|Where|All|Both|Each|Every|Any|After|Before|"
    rf"During|Since|Because|Until|Over|Under|Here|"
    r"Between|Is|Are|Was|Were|To|Of|And|But|Or|Not|Such|This|That|These|Those|There|Without|Within|Into|Only|"
    r"So|Around|About|Above|Below|Near|Inside|Outside|Among|Along|Against|Beside|Behind|Beyond|Upon|Toward|"
    r"Towards|Except|"
    r"Despite|Neither|Nor|Either|Its|Their|Our|My|Your|His|Her|Instead|Apart|Together|Half|"
    r"Finally|Lastly|First|Second|Next|Afterwards|Now|Also|Directly|Immediately|Later|Subsequently|Remember|Recall|"
    r"Thus|Hence|Like|Unlike|Through|Across|Once|Then|"
    r"Initially|Consider|Suppose|Imagine|Assume|Take|Let|Use|Start|Begin|Set|Keep|Assuming|Using|Starting|Given)\b)"
    r"[A-Z]?[a-z]+ (?:the|an?|all|each|every|both|your|its|their|us|me|it|how|whether|what|two|three)\b"
)

# Wishes about how it is told. The report of every family states method, conventions, tables and what numbers mean.
_TOLD = (
    r"analysis|analyses|explanations?|discussions?|interpretations?|comments?|descriptions?|summar(?:y|ies)|"
    r"conclusions?|reports?|documentation|comparison|"
    r"insights?|scripts?|code|assumptions?|methods?|methodology|labels?|legends?|titles?|captions?|axes|units|"
    r"colou?rs?|conventions?|paragraphs?|remarks?|notes?|"
    r"words|write-?up|text|narrative|sentences?|account|verdict|commentary"
)
_PROSE = re.compile(
    r"^\W*(?:(?:also|then|finally|please|in the report,?|in a report,?|briefly|clearly|carefully|lastly|and)\s+)*(?:"
    r"analy[sz]e|explain|discuss|comment|interpret|describe|summari[sz]e|conclude|state|justify|document|"
    r"mention|note|elaborate|say (?:in|what|why|how|whether|which)|tell (?:us|me) (?:why|what it means)|"
    r"reflect|write (?:a|the|your|up|one|two|down)|(?:write|save|store|keep|put) (?:all|the|your|everything|them|it)\b|"
    r"(?:report|present|provide|give|include|show|add|prepare|produce|hand in|deliver|submit|close with|finish "
    r"with|end with) (?:a |an |the |your |all |any |one |two |some )?(?:(?:short|few|"
    r"brief|clear|concise|detailed|thorough|physical|final|complete|full|proper|written|closing|"
    r"publication[- ]quality)\s+)*"
    rf"(?:{_TOLD})(?! (?:of|between) (?:the )?(?:energ|popul|fidel))|"
    r"label|annotate|(?:use|choose|pick) (?:clear|distinct|readable|consistent|good|suitable|proper|"
    r"publication|legible)|"
    r"(?:make|be) (?:sure|clear|explicit|careful)|ensure|make (?:the|all|your|each|every) (?:plots?|figures?|report)|"
    r"compare (?:your (?:results?|answer)|(?:it |them |this |that |both |the (?:result|value|number)s? )?with "
    r"(?:the )?(?:experiment\w*|measured|literature|textbook|known|tabulated|published|reference value))|say "
    r"by how much|check (?:your|that|whether|the (?:results?|convergence|normali[sz]ation|units))"
    r")",
    re.I,
)
# "Report, in this order:" orders what its items say
_LIST_FOLLOWS = re.compile(
    (
        r"^\W*(?:please |then |finally )?(?:report|give|list|provide|state|return|deliver|hand in|tell me|wanted|"
        r"needed|compute|calculate|find|quote)\b(?:,? (?:in this order|the following|me|us|please|as follows|these|"
        r"quantities|numbers|results|values))*\s*:\s*$"
    ),
    re.I,
)
# "I need two things.", "We ask for, in kJ/mol:": a wish that only points to what comes
_POINTS = re.compile(
    rf"^\W*(?:{WISH.pattern}|(?:please |then |finally )?(?:report|give|list|provide|state|return|compute|calculate|"
    r"find)\b)(?: for| to (?:know|have|get|see))?"
    r"(?:,? (?:(?:the )?following|(?:these |the )?(?:two|three|four|five|six|several|a few|some|\d) "
    r"(?:things|quantities|numbers|results|items)|these|this|me|us|as follows))*"
    rf"(?:\s*,?\s*(?:all |each )?in (?:units of )?(?:{UNIT}))?\s*,?\s*[:.]?\s*$",
    re.I,
)
_SAY_HOW = re.compile(
    r"\b(?:say|tell (?:me|us)|note|comment on|explain|remark)\s+(?:by\s+)?(?:how|why|what|whether)\b", re.I
)
_STYLE = re.compile(
    r"publication[- ]quality|well[- ]labell?ed|report\.md|in (?:one|a single|your) (?:markdown )?report|as (?:png|pdf)"
    r"|script|dpi\b|font|legend|axis labels?|captions?",
    re.I,
)
_HEDGE = re.compile(
    r"\b(?:often|usually|typically|generally|commonly|traditionally|historically|nowadays|frequently|"
    r"famous(?:ly)?|celebrated|textbook|paradigm\w*|well[- ]known|known (?:as|for|to)|"
    r"is (?:one of|a (?:standard|common|popular|basic|key|central|simple|classic)|an (?:important|elementary))|"
    r"are (?:among|of great)|in practice|in recent years|"
    r"people|students|experimentalists?|theorists?|researchers?|engineers?|chemists?|physicists?|community|"
    r"literature|motivat\w*|background|context|history|"
    r"reminder|recall that|remember that|as (?:is|we) know\w*|interesting|fascinating|important (?:for|in|"
    r"because|to)|plays? an? (?:\w+ )?role|would (?:expect|suggest|help)|"
    r"curious|wonder\w*|colleague|supervisor|referee|reviewer|lecture|exam|homework|exercise|thank|cheers|"
    r"regards|dear|hello|hi)\b",
    re.I,
)
_FACT = re.compile(
    (
        r"\d|=|\||<|\^|_|\b\w+-level\b|\b(?:ground|excited|levels?|states?) \w+|\b(?:our|this|these|here|set|"
        r"fixed|start\w*|initial\w*|begin\w*|use[ds]?|take[ns]?|must|"
        r"should|only|without|no|not|except|ignore\w*|neglect\w*)\b"
    ),
    re.I,
)


def orders(text: str) -> bool:
    """Whether a sentence orders or wishes something."""
    return bool(ORDER.search(text) or WISH.search(text) or _IMPERATIVE.search(text))


def about_telling(words: str) -> bool:
    """Whether an order is about the report: its prose, its style."""
    if _PROSE.match(words) or _LIST_FOLLOWS.match(words) or _POINTS.match(words):
        return True
    if _SAY_HOW.search(words) and not ORDER.search(_SAY_HOW.split(words)[0]):
        return True
    return bool(_STYLE.search(words)) and not re.search(r"\d", words) and len(words) < 160


def sets_the_scene(text: str) -> bool:
    """Whether a sentence tells only why, for whom or how things are in general: it orders nothing and sets nothing."""
    return bool(_HEDGE.search(text)) and not _FACT.search(text) and not orders(text)


# what a thing that is handed in can be called; adjectives in front of it change no result
_THINGS = re.compile(
    r"\b(?:plots?|figures?|tables?|lists?|graphs?|charts?|pictures?|panels?|images?|heat ?maps?|histograms?|"
    r"bars?|curves?|lines?|files?|numbers?|values?|results?|data|"
    r"answers?|reports?|csv|json|everything|all|it|them|these|those|simulations?|calculations?|runs?|tasks?|"
    r"steps?|following|way|case|cases)$",
    re.I,
)
_STOP = re.compile(
    r"\b(?:for|with|at|in|on|over|from|to|by|using|via|as|against|versus|vs|where|which|that|so|when|while|if|"
    r"because|before|after|until|is|are|was|were|under|between|along|"
    r"during|through|within|without|obtained|computed|given|starting|following|resulting|belonging|both|per)\b|"
    r"[;:.()]|\bof\b",
    re.I,
)


def objects(text: str) -> list[tuple[int, int]]:
    """Where the nouns stand that an order is about, with their adjectives; tables and plots are left out."""
    found: list[tuple[int, int]] = []
    for match in [*ORDER.finditer(text), *WISH.finditer(text), *_IMPERATIVE.finditer(text)]:
        if re.match(r"how\b|to\b.*\bhow\b", match[0], re.I) or re.match(
            r"\s*(?:to (?:see|know|learn|find out|understand)\s+)?(?:how|whether|why|when)\b", text[match.end() :]
        ):
            continue  # how something behaves: its verb may be any; words of the field in it count all the same
        particle = re.match(r"\s+(?:out|in|up|down|off|back|us|me|it)\b", text[match.end() :])
        place = match.end() + (particle.end() if particle else 0)
        while place < len(text):
            stop = _STOP.search(text, place)
            end = stop.start() if stop else len(text)
            found += _phrases(text, place, end)
            if stop is None or stop[0] != "of":
                break
            place = stop.end()
    return found


def _phrases(text: str, start: int, end: int) -> list[tuple[int, int]]:
    found = []
    for part in re.finditer(r"(?:(?!,|\band\b|\bor\b|&|\bas well\b).)+", text[start:end], re.S):
        if part[0].strip() and not _THINGS.search(part[0].strip()):
            found.append((start + part.start(), start + part.end()))
    return found
