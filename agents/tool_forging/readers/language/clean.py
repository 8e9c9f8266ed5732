"""A task's text without LaTeX, Markdown marks and exotic characters, which still knows where each letter came from."""

from __future__ import annotations

import re
import unicodedata

from labwright.agents.tool_forging.readers.language.furniture import without_furniture
from labwright.agents.tool_forging.readers.language.keyed import keyed
from labwright.agents.tool_forging.readers.language.number_words import COMPOUND, spelled
from labwright.agents.tool_forging.readers.language.prose_sums import (
    NEIGHBOURS,
    PROSE_SUM,
    written_on_bonds,
    written_out,
)
from labwright.agents.tool_forging.readers.language.tables import told
from labwright.agents.tool_forging.readers.language.traced import Clean, Replacement, replaced

__all__ = ["GREEK", "Clean", "clean"]

GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ϵ": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "ν": "nu",
    "ξ": "xi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "phi",
    "ϕ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
    "Γ": "Gamma",
    "Δ": "Delta",
    "Θ": "Theta",
    "Λ": "Lambda",
    "Φ": "Phi",
    "Ψ": "Psi",
    "Ω": "Omega",
    "\u2126": "Omega",
    "π": "pi",
}
_SIGNS = {
    "−": "-",
    "–": "-",
    "—": " - ",
    "‑": "-",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "⟩": ">",
    "〉": ">",
    "⟨": "<",
    "〈": "<",
    "†": "^dag",
    "⊗": "@",
    "√": "sqrt",
    "∑": "sum",
    "Σ": "sum",
    "ℏ": "hbar",
    "∈": " in ",
    "…": "...",
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
    "≈": "~",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "“": '"',
    "”": '"',
    "’": "'",
    "ℓ": "l",
    "Å": "Å",
}
_SUB = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₓ", "0123456789+-ijx")
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱˣʸᶻ", "0123456789+-ixyz")
_DROPPED = (
    r"\\(?:left|right|bigl?|Bigl?|bigr|Bigr|displaystyle|limits|quad|qquad|hat|vec|bar|tilde|boldsymbol|mathbf)\b"
)
_INNER = (
    r"\\(?:text(?:tt|bf|it|sf|sc|rm)?|emph|underline|mathsf|mathrm|mathit|mathbf|mathcal|operatorname|hat|vec|"
    r"boldsymbol|mathbb)\*?\{([^{}]*)\}"
)


# the name of a table's file, which is written whatever it is called
_FILE = re.compile(
    r"(?:\b(?:to|in|into|as|called|named)\s+)?(?:(?:a|the|one)\s+)?(?:(?:CSV|text|data)\s+)?(?:files?\s+)?(?:(?:called|named)\s+)?"
    r"[`'\"]?(?<![\w.-])(?:[A-Za-z][\w-]*/){0,2}[A-Za-z][\w-]{0,60}\.csv\b[`'\"]?",
    re.I,
)
# what the writer takes back: ``a ring... no, a chain``
TAKEN_BACK = re.compile(
    r"[^.;:\n?!,]{1,90}(?:\.\.\.|--+| - )\s*(?:no|sorry|wait|I mean|correction|scratch that|or rather)\s*,"
)


def clean(text: str) -> Clean:
    """`text` without LaTeX and Markdown; every character remembers where it stood."""
    state = keyed(told(without_furniture(text)))
    for pattern, replacement in _STEPS:
        state = replaced(state, pattern, replacement)
    for _ in range(4):  # nested braces: innermost first
        for pattern, replacement in _BRACES:
            state = replaced(state, pattern, replacement)
    for pattern, replacement in _LAST:
        state = replaced(state, pattern, replacement)
    state = replaced(state, _FILE, lambda match: re.sub(r"\S", " ", match[0]))
    return replaced(state, TAKEN_BACK, lambda match: re.sub(r"\S", " ", match[0]))


def _steps(*pairs: tuple[str, Replacement]) -> list[tuple[re.Pattern[str], Replacement]]:
    return [(re.compile(pattern, re.M), replacement) for pattern, replacement in pairs]


def _apart(match: re.Match[str], name: str) -> str:
    """A name that does not run into the letters around it."""
    before = match.start() > 0 and (match.string[match.start() - 1].isalnum() or match.string[match.start() - 1] == "}")
    after = match.string[match.end() : match.end() + 1]
    return (" " if before else "") + name + (" " if after.isalpha() and after.isascii() else "")


def _sign(match: re.Match[str]) -> str:
    """A sign in ASCII; a dagger does not run into the next operator."""
    after = match.string[match.end() : match.end() + 1]
    return _SIGNS[match[0]] + (" " if match[0] == "†" and after.isalpha() else "")


_ACCENTS = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "^": "\u0302", "~": "\u0303"}


def _accented(match: re.Match[str]) -> str:
    """A letter with the accent that LaTeX writes in front of it."""
    return unicodedata.normalize("NFC", (match["letter"] or match["braced"]) + _ACCENTS[match["accent"]])


def _subscript(match: re.Match[str]) -> str:
    plain = match[0].translate(_SUB)
    return f"_{plain}" if len(plain) == 1 else f"_{{{plain}}}"


# Short forms of telegrams and notes; the full stop behind them ends no sentence.
SHORT_FORMS = {
    "pts": "points",
    "pt": "point",
    "pop": "population",
    "pops": "populations",
    "prep": "prepared",
    "init": "initial",
    "approx": "about",
    "incl": "including",
    "excl": "excluding",
    "freq": "frequency",
    "temp": "temperature",
    "max": "maximum",
    "prob": "probability",
    "probs": "probabilities",
    "ampl": "amplitude",
    "deg": "degrees",
    "eqn": "equation",
    "expt": "experiment",
    "calc": "calculation",
    "sim": "simulation",
    "config": "configuration",
    "magn": "magnetisation",
    "Ham": "Hamiltonian",
    "w/o": "without",
    "w/": "with",
    "wrt": "with respect to",
    "i.c": "initial condition",
    "betw": "between",
    "resp": "respectively",
}
_SHORT = re.compile(
    rf"(?<![\w./`])(?P<word>(?i:prep|init|approx|incl|excl|temp|freq|calc)|"
    rf"{'|'.join(map(re.escape, sorted(SHORT_FORMS, key=len, reverse=True)))})(?:(?P<stop>\.)(?!\w)|"
    rf"(?![\w.`(=]|\s*=))"
)


def _spelled_out(match: re.Match[str]) -> str:
    """The long form; a full stop stays only where a new sentence or line begins behind it."""
    after = match.string[match.end() : match.end() + 3]
    ends = bool(match["stop"]) and bool(re.match(r"\s*\n|\s*$", after))
    return (SHORT_FORMS.get(match["word"]) or SHORT_FORMS[match["word"].lower()]) + ("." if ends else "")


_RANGE_BEFORE = re.compile(r"(?:\b(?:to|between|from|until)\b|\.\.\.?|…|–|-)[^;\n]*?\d[\d.]*\s*[^\s\d]{0,12}\s*$")
_PARTS = {"quarter": 4, "third": 3, "fifth": 5, "tenth": 10}
_STEPS = _steps(
    (r"(?<=[\w)])[ \t]*\.{4,}[ \t]*(?=\S)", lambda m: ": "),  # a dotted line from a key to its value
    (r"\\(?P<accent>['`\"^~])(?:\{(?P<braced>[A-Za-z])\}|(?P<letter>[A-Za-z]))", _accented),
    (
        r"[\[(]\s*(?:[12]?\d|30)\s*(?:pts?|points?|marks?|credits?|P|p)\.?\s*[\])]",
        lambda m: m[0] if _RANGE_BEFORE.search(m.string[max(0, m.start() - 60) : m.start()]) else " " * len(m[0]),
    ),  # what an exercise is worth; behind a range it is how many of it
    (_SHORT.pattern, _spelled_out),
    (
        r"(?<![\w.,])(?<!\d )(\d{1,3})[ \u2009\u202f](\d{3})(?=,| and |\s*(?:cm|1/cm|K\b|eV|meV|shots|[.;]?$))",
        lambda m: m[1] + m[2],
    ),
    (COMPOUND, spelled),
    (r"\b(?:one|a) half\b(?=\s*(?:[.,;)\"]|$|and\b|or\b))", "0.5"),
    (
        r"\b(?:a(?= quarter)|one) (?P<part>quarter|third|fifth|tenth)\b(?=\s*(?:[.,;)\"]|$|and\b|or\b))",
        lambda m: f"{1 / _PARTS[m['part']]:.10g}",
    ),
    (
        r"(?<![\w])([A-Za-z]\w{0,12})\s*/\s*\(?\s*2\s*\*?\s*(?:pi|π|\\pi)\s*\)?\s*(?==\s*[-+.\d]+\s*[kMGT]?Hz)",
        lambda m: f"{m[1]} ",
    ),
    (NEIGHBOURS, written_on_bonds),
    (r"\bsigma([+-])(?=[_\s*)])", lambda m: f"sigma_{m[1]}"),
    (PROSE_SUM, written_out),
    (r"(?<=pi)\s*x\s*(?=[\d.])|(?<=π)\s*x\s*(?=[\d.])", " * "),
    (r"[µμ](?=[sgmlLMKAeWHN]\b|eV|Hz)", "u"),
    (r"[µμ]", "mu"),
    ("[" + "".join(GREEK) + "]", lambda m: _apart(m, GREEK[m[0]])),
    ("[₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₓ]+", _subscript),
    ("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱˣʸᶻ]+", lambda m: "^" + m[0].translate(_SUPER)),
    ("[" + "".join(_SIGNS) + "]", lambda m: _sign(m)),
    (r"(?<=[\d\s~,;!:\\}/])\\(?:mu|micro)\s*(?:\\(?:mathrm|text|rm|mbox)\s*)?\{?\s*s\b\}?", "us"),
    (r"^[ \t]*\\(?:sub)*section\*?\{([^{}\n]*)\}", lambda m: f"# {m[1]}"),
    (r"\\(?:begin|end)\{(?:equation|align|gather|displaymath|enumerate|itemize|quote|center|document)\*?\}", "\n"),
    (r"\\item\b\s*", "- "),
    (r"\\(?:!|,|;|:|>)(?=[|\\A-Za-z\s])", " "),
    (r"\\(?:label|tag)\{[^{}]*\}", ""),
    (r"\\frac\s*(\d)\s*([A-Za-z])(?![A-Za-z])", lambda m: f"({m[1]}/{m[2]})"),
    (r"\\[dt]?frac\s+([A-Za-z])\s*([A-Za-z\d])(?![A-Za-z\d])", lambda m: f"({m[1]}/{m[2]})"),
    (r"\\mathcal\s+([A-Z])(?![a-z])", lambda m: m[1]),
    (r"\\(?:uparrow|downarrow)\s*", lambda m: "up " if "up" in m[0] else "down "),
    (r"\\(?:rm|it|bf|(?:emph|textit|textbf)(?!\s*\{))\b\s*", ""),
    (r"\\(?:\(|\)|\[|\])|\$\$?|\*\*|(?<!`)`(?!`)", ""),
    (r"(?<=\d)\s*\*\s*10\s*\^\s*\{?\s*(-?\d+)\s*\}?", lambda m: f"e{m[1]}"),
    (r"(?<!\\)\\[,;:! ]|~(?=[A-Za-z])|\\(?:quad|qquad)\b", " "),
    (_DROPPED + r"(?!\{)", ""),
    (r"\\(?:langle|lvert)\b", "<"),
    (r"\\(?:rangle|rvert)\b", ">"),
    (r"\\(?:vert|mid)\b", "|"),
    (r"\\(?:otimes)\b", "@"),
    (r"\\(?:cdot|times)(?![A-Za-z])", "*"),
    (r"\\in\b", " in "),
    (r"\\(?:approx|simeq|sim)(?![A-Za-z])", "~"),
    (r"\\(?:ldots|dots|cdots)\b", "..."),
    (r"\\(?:leq?)(?![A-Za-z])", "<="),
    (r"\\(?:geq?)(?![A-Za-z])", ">="),
    (r"\\(?:to|rightarrow|mapsto)(?![A-Za-z])", "->"),
    (r"\\dagger\b|(?<=\^)\{?\s*dagger\b\s*\}?", "dag"),
    (r"\\AA\b", "Å"),
    (r"\\(?:degree|circ)\b", "deg"),
    (r"\\hbar\b", "hbar"),
    (r"\\ell\b", "l"),
    (r"\\\{", "{"),
    (r"\\\}", "}"),
    (r"\\%", "%"),
    (r"\\_", "_"),
    (r"\\varepsilon\b", "epsilon"),
    (r"\\varphi\b", "phi"),
)
_NESTED = r"(?:[^{}\\|]|\{[^{}]*\}|\\(?!frac)[A-Za-z]+)*"
_BRACES = _steps(
    (_INNER, lambda m: m[1]),
    (r"\\ket\{([^{}]*)\}", lambda m: f"|{m[1]}>"),
    (r"\\bra\{([^{}]*)\}", lambda m: f"<{m[1]}|"),
    (r"\\(?:expval|ev)\{([^{}]*)\}", lambda m: f"<{m[1]}>"),
    (r"\\(?:ketbra|dyad)\{([^{}]*)\}\{([^{}]*)\}", lambda m: f"|{m[1]}><{m[2]}|"),
    (rf"\\[dt]?frac\{{({_NESTED})\}}\{{({_NESTED})\}}", lambda m: f"(({m[1]})/({m[2]}))"),
    (r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", lambda m: f"(({m[1]})/({m[2]}))"),
    (r"\\[dt]?frac(\d)(\d)", lambda m: f"({m[1]}/{m[2]})"),
    (r"\\sqrt\{([^{}]*)\}", lambda m: f"sqrt({m[1]})"),
    (r"\\sqrt\s*(\d|[A-Za-z](?![A-Za-z]))", lambda m: f"sqrt({m[1]})"),
    (r"(?<![\w\\])sqrt ?(\d+)(?!\w|\.\d|\()", lambda m: f"sqrt({m[1]})"),
    (r"\^\{\s*dag\s*\}", "^dag"),
    (r"\^\{\s*(-?\d+)\s*\}", lambda m: f"^{m[1]}"),
)
_LAST = _steps(
    (
        r"\\([A-Za-z]+)(?![A-Za-z])(?!\{(?:p|b|v|small)?matrix)",
        lambda m: m[0] if m[1] in {"begin", "end"} else _apart(m, m[1]),
    ),
    (r"(?<=[A-Za-z0-9])\s+(?=_\{)", ""),
    (r"\^\s*\{\s*([xyz+-]|\(\d+\))\s*\}", lambda m: f"^{m[1]}"),
    (r"\|\s*([^|<>\n]{1,24}?|(?:(?:up|down)\s+){2,20})\s*>", lambda m: f"|{m[1].strip()}>"),
    (r"\s?\(x\)\s?", "@"),
)
