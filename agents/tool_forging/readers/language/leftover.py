"""Words that no reader has accounted for: a sentence with some of them is not understood."""

from __future__ import annotations

import re
from collections.abc import Collection

from labwright.agents.tool_forging.readers.language.scalars import is_symbol

# English that carries no physics by itself: whatever it asks for is in the words beside it.
NEUTRAL = frozenset(
    """
    a about above absolute according account achieve across act actual add additionally after afterwards again
    against agree aim all allow almost along already also alter although always among amount amplitude analyse
    analysis analytic analytical analyze and angle another answer any appear application apply approach appropriate
    approximate approximately are around array as ask asked aspect assess assume at average averaged away axes axis
    back bar based basic basis be become because before begin beginning behave behaviour behavior below beside best
    better between both brief briefly bring build but by calculate calculated calculation can care careful carefully
    carry case certain chain change characteristic characterise characterize chart check choice choose chosen clear
    clearly close closely code colour color column combine comment common compare comparison complete completely
    complex compute computation computed condition conclude conclusion connect consider consist consistent constant
    construct contain context contrast control convenient corresponding could cover create critical curve data
    decide default define defined definition deliver demonstrate depend dependence depict derive describe
    description design desired detail detailed determine deviation diagram did differ difference different directly
    discuss discussion display distance distinct distribution do document does domain done down draw due during
    dynamic dynamical dynamics each early easy effect effective effectively either element else emphasis enable end
    ends enough ensure entire equal equally equation especially essential establish estimate estimated evaluate
    evaluation even evenly event every evident evolution evolve exact exactly examine example except exhibit exist
    expect expectation expected experiment explain explanation explicit explicitly explore express expression extent
    extra extract fact fall far fast faster feature few figure file final finally find fine finite first fit fix
    fixed focus follow following for form formula found from full fully function further furthermore general
    generate get give given go goal good graph graphical grid grow growth guide had half hand happen has have hence
    her here high higher highlight histogram hold how however human idea ideal identical identify if illustrate
    image immediately implement implementation implication important in include including increase indeed
    independent index indicate individual inform information initial initialise initialize initially input insert
    insight inspect instance instead intend interest interpret interpretation interval into introduce investigate is
    it item its itself join just keep key kind know known label labelled large larger largest last late later latter
    law lead least leave left legend length less let level like likewise limit line linear list little local log
    long longer look loss low lower made magnitude main mainly make many mark match mathematical maximum may mean
    meaning meaningful measure measured measurement mechanism mention method middle might minimum mode model more
    moreover most move much multiple must name namely natural nature near necessary need neither never new next no
    nor normal not note nothing notice now number numerical numerically object observe observed obtain of off often
    on once one only onto open operation opposite or order origin original other otherwise our out outcome output
    over overall overlay own page pair panel paper parameter part particular particularly per perform perhaps period
    physical physically physics picture place plain play please plot plotted point position positive possible
    practical precise predict prediction prepare prepared present previous principle print probability problem
    procedure proceed process produce product proper property proportional provide publication purpose put
    qualitative qualitatively quality quantify quantitative quantitatively quantity quantum question quick quickly
    random range rapid rapidly rate rather ratio reach read real realise reason recall recommend record reduce refer
    reference regarding regime region relate relation relative relevant remain remark repeat report represent
    require respect respective respectively respond response rest result resulting return reveal right role row rule
    run same sample save scale scan scheme script second section see seen select separate separately sequence series
    set setting several shape share short should show shown side sign signature significant similar simple simply
    simulate simulated simulation simulator since single size slow slowly small smaller so software solution solve
    some sort space spread stage standard start starting state statement statistical statistics stay step steps
    still stop store straight strategy strength strong stronger strongly structure study style subject such suffer
    sufficient suggest suitable sum summarise summarize summary support sure system table tabulate take target task
    tell temporal ten term test text than that the their them then theoretical theory there therefore these they
    thing third this those though three through throughout thus time times title to together tool top total toward
    towards track trajectory trace transition trend trial try turn twice two type typical under understand uniform
    uniformly unit units until up upon use used useful using usual value values variable variation various vary
    varying verify version versus very via view visible visual visualise visualize want was way we weak well were
    what when where whereas whether which while whole whose why wide width will wish with within without word work
    world would write written yet yield you your zero too analysed analyses alone apart come comes
    physically-motivated plus minus means sense themselves us i.e e.g etc hbar ready publication-quality png pdf
    markdown json observable observables counts results report.md results.json loses lose energy written energies
    qualitatively disappear survive survives vanish vanishes degrade degrades degradation reflects why finite-size
    cost four five six seven eight nine half-way inside outside ask corrresponding corresponding comparing share
    shared directly likewise plane initially state's alike nothing grows falls rises rise rose
    """.split()
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'.-]*[A-Za-z]")
_SYMBOL = re.compile(r"[XYZI]{2,}|[hH]\.c\.?|sum|sqrt|cos|sin|exp|pi|dag|hbar")
_ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "er", "ally")


def unknown_words(
    text: str, known: Collection[str], spans: Collection[tuple[int, int]] = (), start: int = 0
) -> list[str]:
    """Words of `text` that are neither neutral English nor known nor inside one of the spans.

    Args:
        known: words of the reader's own field, in lower case.
        spans: what the reader has understood, as offsets of the whole text.
        start: offset of `text` in the whole text.
    """
    found = []
    for match in _WORD.finditer(text):
        place = (start + match.start(), start + match.end())
        if any(a < place[1] and place[0] < b for a, b in spans):
            continue
        if _SYMBOL.fullmatch(match[0]) or is_symbol(match[0]):
            continue
        for part in match[0].lower().split("-"):
            if len(part) > 2 and not _is_in(part, NEUTRAL) and not _is_in(part, known):
                found.append(match[0])
                break
    return found


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
