"""What a task of exciton dynamics can give, as slots."""

from __future__ import annotations

from labwright.agents.tool_forging.readers.language.quantities import Slot

# symbols that bear the number or letter of a site
INDEXED = ("lambda", "lam", "ER", "gamma", "tau", "E", "e", "epsilon")
_SITES = "0123456789ABCDEF"


def _each(*names: str) -> tuple[str, ...]:
    """Symbols without and with an index."""
    return (*names, *(f"{name}{site}" for name in names for site in _SITES))


_ENERGY = ("wavenumber", "energy", "frequency", "")
# what numbers in words may count
THINGS = (
    r"(?:\w+\s+)?(?:tiers?|matsubara|pad[eé]|exponentials?|levels? deep|terms?)|picoseconds?|femtoseconds?|ps|fs|points"
)

SLOTS: tuple[Slot, ...] = (
    Slot("temperature", ("temperature",), r"temperatures?|warm|cold|bath", ("T",), alone=True),
    Slot(
        "reorganization",
        _ENERGY,
        r"reorgani[sz]\w*(?:\s+energ(?:y|ies))?(?: of the baths?)?|bath strengths?",
        (*_each("lambda", "lam", "ER"), "E_R", "Ereorg", "lambdai"),
    ),
    Slot("coupling", _ENERGY, (
        r"coupl\w*|interact\w*|talks? to|hopping|transfer (?:integral|matrix element)|dipol\w*|exchange|"
        r"off-diagonal\w*|electronic matrix element|J_?\{?\w*\}?"
    ), ("J", "V", "Jij", *(f"{name}{a}{b}" for name in "JV" for a in _SITES for b in _SITES if a < b))),
    Slot("gap", _ENERGY, (
        r"above|below|higher|lower|over|under|(?:energy |site-energy )?(?:difference|bias|offset|detuning|gap)|"
        r"biased|detuned|apart|splitting"
    ), ("Delta", "DeltaE", "deltaE")),
    Slot("energy", _ENERGY, (
        r"(?<!reorganization\s)(?<!reorganisation\s)(?<!reorganization-)energ(?:y|ies)(?!\s+(?:difference|gap|"
        r"bias|offset))|"
        r"lies at|sits at|levels? at"
    ), _each("epsilon", "E", "e")),
    Slot("cutoff", ("time", "rate", "angular", "wavenumber", "energy", "frequency"), (
        r"cut-?offs?(?:[- ](?:times?|rates?|frequenc(?:y|ies)))?|(?:correlat\w*|memory|response|Debye|"
        r"relax\w*|damping|bath)[- ](?:times?|rates?|frequenc(?:y|ies))?(?: of (?:the |each )?bath)?|relaxes|forgets?|"
        r"correlations?(?: functions?)?(?: decays?)?|decays? within"
    ), (*_each("gamma", "tau"), "1/gamma", "gammac", "omegac", "omegaD", "Lambda", "tauc", "taub", "gammaD")),
    Slot("depth", ("",), r"depth|tiers?|levels? deep|hierarchy(?: cutoff| truncation| level)?|truncation(?: level)?", (
        "Nc", "L", "depth", "NC", "maxdepth"
    )),
    Slot("terms", ("",), r"Matsubara(?:[ -]\w+)?|Pad[eé](?:[ -]\w+)?|exponentials?|low-temperature (?:terms|"
    r"corrections)", (
        "Nk", "K", "NK", "Nexp"
    )),
    Slot("step", ("time",), r"every|each|steps?(?: of| size)?|increments?(?: of)?|apart|spacing|sampl\w*(?: "
    r"interval)?", ("dt",)),
    Slot("span", ("time",), r"for|until|till|up to|over|during|to|run|span|follow\w*|propagat\w*|first|time|window", (
        "t", "tmax", "tf", "T"
    ), alone=True),
    Slot("points", ("",), r"(?:time )?(?:points?|times|values|samples|steps|instants)", ()),
)  # fmt: skip
