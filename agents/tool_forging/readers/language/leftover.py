"""Words that no reader has accounted for: a sentence with some of them is not understood."""

from __future__ import annotations

import re
from collections.abc import Collection

from labwright.agents.tool_forging.readers.language.absences import ABSENT, absences
from labwright.agents.tool_forging.readers.language.lexicon import ANALYSES, FIELD, METHODS, TURNS
from labwright.agents.tool_forging.readers.language.orders import about_telling, objects, orders
from labwright.agents.tool_forging.readers.language.scalars import is_symbol

# English that carries no physics by itself: whatever it asks for is in the words beside it.
NEUTRAL = frozenset(
    """
    a about above absolute according account achieve across act actual add additionally after afterwards again
    against agree aim all allow almost along already also alter although always among amount amplitude analyse
    analysis analytic analytical analyze and angle another answer any appear application apply approach
    appropriate approximate approximately are around array as ask asked aspect assess assume at average averaged
    away axes axis back bar based basic basis be become because before begin beginning behave behaviour behavior
    below beside best better between both brief briefly bring build but by calculate calculated calculation can
    care careful carefully carry case certain chain change characteristic characterise characterize chart check
    choice choose chosen clear clearly close closely code colour color column combine comment common compare
    comparison complete completely complex compute computation computed condition conclude conclusion connect
    consider consist consistent constant construct contain context contrast control convenient corresponding could
    cover create critical curve data decide default define defined definition deliver demonstrate depend
    dependence depict derive describe description design desired detail detailed determine deviation diagram did
    differ difference different directly discuss discussion display distance distinct distribution do document
    does domain done down draw due during dynamic dynamical dynamics each early easy effect effective effectively
    either element else emphasis enable end ends enough ensure entire equal equally equation especially essential
    establish estimate estimated evaluate evaluation even evenly event every evident evolution evolve exact
    exactly examine example except exhibit exist expect expectation expected experiment explain explanation
    explicit explicitly explore express expression extent extra extract fact fall far fast faster feature few
    figure file final finally find fine finite first fit fix fixed focus follow following for form formula found
    from full fully function further furthermore general generate get give given go goal good graph graphical grid
    grow growth guide had half hand happen has have hence her here high higher highlight histogram hold how
    however human idea ideal identical identify if illustrate image immediately implement implementation
    implication important in include including increase indeed independent index indicate individual inform
    information initial initialise initialize initially input insert insight inspect instance instead intend
    interest interpret interpretation interval into introduce investigate is it item its itself join just keep key
    kind know known label labelled large larger largest last late later latter law lead least leave left legend
    length less let level like likewise limit line linear list little local log long longer look loss low lower
    made magnitude main mainly make many mark match mathematical maximum may mean meaning meaningful measure
    measured measurement mechanism mention method middle might minimum mode model more moreover most move much
    multiple must name namely natural nature near necessary need neither never new next no nor normal not note
    nothing notice now number numerical numerically object observe observed obtain of off often on once one only
    onto open operation opposite or order origin original other otherwise our out outcome output over overall
    overlay own page pair panel paper parameter part particular particularly per perform perhaps period physical
    physically physics picture place plain play please plot plotted point position positive possible practical
    precise predict prediction prepare prepared present previous principle print probability problem procedure
    proceed process produce product proper property proportional provide publication purpose put qualitative
    qualitatively quality quantify quantitative quantitatively quantity quantum question quick quickly random
    range rapid rapidly rate rather ratio reach read real realise reason recall recommend record reduce refer
    reference regarding regime region relate relation relative relevant remain remark repeat report represent
    require respect respective respectively respond response rest result resulting return reveal right role row
    rule run same sample save scale scan scheme script second section see seen select separate separately sequence
    series set setting several shape share short should show shown side sign signature significant similar simple
    simply simulate simulated simulation simulator since single size slow slowly small smaller so software
    solution solve some sort space spread stage standard start starting state statement statistical statistics
    stay step steps still stop store straight strategy strength strong stronger strongly structure study style
    subject such suffer sufficient suggest suitable sum summarise summarize summary support sure system table
    tabulate take target task tell temporal ten term test text than that the their them then theoretical theory
    there therefore these they thing third this those though three through throughout thus time times title to
    together tool top total toward towards track trajectory trace transition trend trial try turn twice two type
    typical under understand uniform uniformly unit units until up upon use used useful using usual value values
    variable variation various vary varying verify version versus very via view visible visual visualise visualize
    want was way we weak well were what when where whereas whether which while whole whose why wide width will
    wish with within without word work world would write written yet yield you your zero too analysed analyses
    alone apart come comes physically-motivated plus minus means sense themselves us i.e e.g etc hbar ready
    publication-quality png pdf markdown json observable observables counts results report.md results.json loses
    lose energy written energies qualitatively disappear survive survives vanish vanishes degrade degrades
    degradation reflects why finite-size cost four five six seven eight nine half-way inside outside ask
    corrresponding corresponding comparing share shared directly likewise plane initially state's alike nothing
    grows falls rises rise rose
    """.split()
)
# More English of tasks and letters.
PLAIN = frozenset(
    """
    abbreviated able abrupt addition accompany accompanied accuracy accurate accurately actually address adequate afford
    ahead aid ample answer anybody anyone anything anyway anywhere approve arbitrary arise arrange arrive attach
    attached attention audience available await batch beat beats beautiful belong beside bigger bother bottom
    bound break bunch busy call called calm cause caveat caveats chance chapter chosen claim class classroom clean
    clearer cleanest cleverly collaborator colleague column come comfort comparable comparing competing complain
    completely concern concerned concise conclusive concrete confidence confirm confused consecutive consequence
    content continue contribution contributions conventional convention conventions cope copy coordinate corner
    correct correctly costs count course curious current customary daily deadline deal dear debate decent decimal
    decimals deep defer deliverable deliverables delivered demonstration depart departs dependent deserve
    desirable desk digit digits discover discovered diagnose differ differs digest disagreement draft drawn drop
    drops ease easier easily edge eliminate elsewhere emerge emphasise empty encounter enter envelope error errors
    essence essentially everybody everyone everything everywhere evidence exercise exist exists experience
    explanatory expose extend extended extends extensive eye face factor fair fairly family fast faster feel fifth
    fill final finer finish finished firm flat fly folder forget formal format former forth forward fourth
    fraction freely fresh friend front fundamental future gather gently glance glad gladly goes grade grateful
    greater group guess guide handy happens hardly headline hear height hello help helpful hint hold holds
    homework hope hours identify ignorance illustrates impact imagine impossible impression individually inquiry
    instant instruct instruction instructions intermediate internal interplay invite involve involved isolate
    issue job justify keen keeps kept kindly lab laboratory lane latest layout leader learn lecture lesson letter
    lie lies life lift limited limits literature live locate location logic looks lot main maintain manage manner
    manuscript map margin markedly markers match matter maximal meant meet memo mere merely merge minute minutes
    mind miss missing mistake modest monitor month motivation moderate name named narrow neat neatly nearby nearly
    neighbour neighbours neighbor neighbors newcomer nice noise-free normally notation notebook notes nothing
    notion numbers obey obvious occur occurs offer opinion option options ordinary organise ought ours outline
    overview pace pack paragraph party pass passage past pattern pay peer people perfect perfectly permit person
    pick piece places plan plainly plausible plenty pointing possibly post prefer preferably preliminary premise
    pretty prior process professor progress promise prompt proof proposed provided publication purely puzzled
    qualitatively questions quiet quote rare raw readable reader readers reasonable reasonably receive recipe
    refers reflect regards register reliable rely remark remarks remember remind reply reports reproduce
    reproducible request requested required researcher resolve respects revisit rich rough roughly rounded routine
    rows sake satisfy saying says scenario school science scientific scientist seem seems send sending sense
    sensible sentence sentences separate serve serves settle settled seven shape shapes sheet shift shown shows
    signal simplest simplicity simultaneously situation sketch slightly smooth so-called solid somebody someone
    something sometimes somewhat somewhere sound source speak specific specify specified spirit spoken squeeze
    standardised stands started starts stated statements stays straightforward strict strictly string student
    students sufficiently suits summarising supervisor supply surely surprise survey take takes taken talk tasks
    teach teaching telegram tells tentative thank thanks thesis think third thorough thought tick tidy tight today
    together told tomorrow tour toward trace tracks traditional trail transparent treat treated true trust trusted
    truth tune turns tutorial twin typed ultimate undergraduate understood universe university unless usage
    usually variety verdict visibly visit visually wait walk warm warn watch week welcome whatever whenever
    wherever whichever widely widen wise wonder wondering words worked worker worth worthwhile writing written
    wrong year yes yesterday young yours sixth seventh eighth ninth tenth hundred thousand million dozen couple
    half single double-check sanity crisp brief reporting plotting printed computing setup machine group meeting
    favour obtained observing fade die dies shrink leave leaves escape climb spread travel bounce slosh melt
    freeze spill ring damp wash hop swap smear blur settle rhythm equations motion solver annotated causes gives
    got gone came went arrived moved ended remained stayed became brought sent met won held told asked agreed turned
    looked compared shown plotted drawn printed saved stored written beginning underlying various remaining afterward
    eventually sooner slowly quickly steadily quietly finally initially hereby thereby whereby percent percentage share
    shares portion proportion chance odds moment moments instants day days night morning evening folks pal mate
    buddy guys
    amplitude amplitudes wise wisely prettily nicely pretty handout whiteboard blackboard poster slide slides seminar
    talk demo demonstration animation hint tip note trouble doubt worry luck bets bet hunch suspicion claim rumour
    cold warm hot cool left-hand right-hand leftmost rightmost topmost lowest highest nearest farthest biggest smallest
    none english language status confidential lunch
    program programme keeping large-scale numerics python scripts observed studied investigating
    """.split()
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'.-]*[A-Za-z]")
_SYMBOL = re.compile(r"[XYZI]{2,}|[hH]\.c\.?|sum|sqrt|cos|sin|exp|pi|dag|hbar")
# Equations of motion are integrated to solve them; populations would be integrated to analyse them.
_EQUATIONS = re.compile(
    (
        r"integrat\w+\s+(?:\S+\s+){0,4}?(?:equations?|motion|dynamics|system|it|numerically|up|from|forward|in "
        r"time)\b|inverse[- ](?:temperature|centi|second)|optimal control|fit for|"
        r"fits? (?:in|on|onto|into|the)\b|trains?\b"
    ),
    re.I,
)
# what is to be found out about a result, such as its largest value: only a reader that does it may pass over it
_FOUND_OUT = re.compile(
    r"(?:\b(?:what|which|find|give|report|determine|state|tell|note|locate|identify|quote|list)|^\W*(?:when|where))\b"
    r"[^.?!;:]{0,50}?"
    r"\b(?P<most>(?:largest|smallest|greatest|longest|shortest|earliest|fastest|slowest|(?:highest|lowest|maximal|minimal|"
    r"maximum|minimum)(?!\s+(?:bond|time|number|amplitudes?|duration|step|dimension|occupied|unoccupied)\b))"
    r"(?![- ](?:energy|state|eigen\w+|levels?|orbital\w*|order)))\b|"
    r"\b(?:two|three|four|five|ten|several|different|many|\d+)\s+(?:(?:different|random|independent)\s+)*"
    r"(?P<again>seeds|restarts|starting guesses|random starts)\b|"
    r"\b(?P<when>how long (?:does|will|do|would) it take|(?:after|at) (?:which|what) (?:time|moment)|how soon)\b",
    re.I,
)
_UNDONE = frozenset("fit fits fitting extrapolation interpolation smoothing".split())  # "no fit" is done by doing none
_PLATFORMS = re.compile(r"\btrapped[- ](?:ions?|atoms?)\b", re.I)  # what qubits are made of changes no Hamiltonian
_ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "er", "ally")


def unknown_words(
    text: str, known: Collection[str], spans: Collection[tuple[int, int]] = (), start: int = 0
) -> list[str]:
    """Words of a sentence that could change what is computed and that nobody has accounted for.

    These are words of the field that the reader neither knows nor has read; and in an order every word about the
    things that are ordered that is no plain English.

    Args:
        known: words of the reader's own field, in lower case.
        spans: what the reader has understood, as offsets of the whole text.
        start: offset of `text` in the whole text.
    """
    spans = [*spans, *((start + one.start(), start + one.end()) for one in _PLATFORMS.finditer(text))]
    spans += [(start + a, start + b) for a, b in absences(text, ABSENT | _UNDONE)]
    ordered = orders(text) and not about_telling(text)
    asked = objects(text) if ordered else []
    found = [one for one in _to_find_out(text, known, spans, start) if ordered]
    for match in _WORD.finditer(text):
        place = (start + match.start(), start + match.end())
        if any(a < place[1] and place[0] < b for a, b in spans):
            continue
        if _SYMBOL.fullmatch(match[0]) or is_symbol(match[0]):
            continue
        word = match[0].lower().strip(".'")
        if "-" in word and (word in PLAIN or word in NEUTRAL):
            continue
        if "-" in word and word in METHODS and word not in known:  # its parts say something else: "mean", "field"
            found.append(match[0])
            continue
        if _is_in(word, known) or all(len(part) < 3 or _is_in(part, known) for part in word.split("-")):
            continue
        parts = {word, *word.split("-")}
        if (
            any(_is_field(part) and not _is_in(part, known) for part in parts)
            or (ordered and any(_is_in(part, ANALYSES) for part in parts) and not _EQUATIONS.match(text, match.start()))
            or (
                any(a <= match.start() < b for a, b in asked)
                and not all(is_plain(part, known) for part in word.split("-"))
            )
        ):
            found.append(match[0])
    return found


def _to_find_out(text: str, known: Collection[str], spans: Collection[tuple[int, int]], start: int) -> list[str]:
    """Findings about results that a sentence asks for and that are neither known nor read."""
    found = []
    for match in _FOUND_OUT.finditer(text):
        group = next(name for name in ("most", "again", "when") if match[name])
        place = (start + match.start(group), start + match.end(group))
        if not any(a < place[1] and place[0] < b for a, b in spans) and match[group].lower() not in known:
            found.append(match[group])
    return found


def is_plain(part: str, known: Collection[str]) -> bool:
    """Whether a word is plain English or among those known."""
    return len(part) < 3 or _is_in(part, NEUTRAL) or _is_in(part, PLAIN) or _is_in(part, known)


def _is_field(word: str) -> bool:
    """Whether a word or its singular is of the field; other endings are listed, so that *hold* is no *hole*."""
    return any(one in FIELD or one in TURNS for one in (word, word.removesuffix("s"), word.removesuffix("es")))


def _is_in(word: str, words: Collection[str]) -> bool:
    word = word.strip(".'")
    if word in words:
        return True
    return any(
        word.endswith(ending)
        and (word[: -len(ending)] in words or word[: -len(ending)] + "e" in words or word[: -len(ending) - 1] in words)
        for ending in _ENDINGS
        if len(word) > len(ending) + 2
    ) or (word.endswith("ies") and word[:-3] + "y" in words)
