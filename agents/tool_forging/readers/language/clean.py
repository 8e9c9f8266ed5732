"""A task's text without LaTeX, Markdown marks and exotic characters, which still knows where each letter came from."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.base import Span

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "κ": "kappa", "λ": "lambda", "ν": "nu", "ξ": "xi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "\u2126": "Omega", "π": "pi",
}  # fmt: skip
_SIGNS = {
    "−": "-", "–": "-", "—": " - ", "‑": "-", "×": "*", "·": "*", "⋅": "*", "⟩": ">", "〉": ">", "⟨": "<", "〈": "<",
    "†": "^dag", "⊗": "@", "√": "sqrt", "∑": "sum", "Σ": "sum", "ℏ": "hbar", "∈": " in ", "…": "...",
    "\u00a0": " ", "\u202f": " ",
    "\u2009": " ", "≈": "~", "≤": "<=", "≥": ">=", "→": "->", "“": '"', "”": '"', "’": "'", "ℓ": "l", "Å": "Å",
}  # fmt: skip
_SUB = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₓ", "0123456789+-ijx")
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱˣʸᶻ", "0123456789+-ixyz")
_DROPPED = (
    r"\\(?:left|right|bigl?|Bigl?|bigr|Bigr|displaystyle|limits|quad|qquad|hat|vec|bar|tilde|boldsymbol|mathbf)\b"
)
_INNER = r"\\(?:text|mathrm|mathit|mathbf|mathcal|operatorname|textrm|hat|vec|boldsymbol|mathbb)\*?\{([^{}]*)\}"

Replacement = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Clean:
    """Text that is easy to read for a program.

    Attributes:
        text: plain ASCII mathematics: ``\\ket{0}`` is ``|0>``, a tensor product ``@``, Greek letters have their names.
        origin: offset in the original text of each character, and at the end the original length.
    """

    text: str
    origin: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """The span of the original text that ``text[start:end]`` came from."""
        return self.origin[start], max(self.origin[end], self.origin[start])


def clean(text: str) -> Clean:
    """`text` without LaTeX and Markdown; every character remembers where it stood."""
    state = Clean(text, (*range(len(text)), len(text)))
    for pattern, replacement in _STEPS:
        state = _replace(state, pattern, replacement)
    for _ in range(4):  # nested braces: innermost first
        for pattern, replacement in _BRACES:
            state = _replace(state, pattern, replacement)
    for pattern, replacement in _LAST:
        state = _replace(state, pattern, replacement)
    return state


def _replace(state: Clean, pattern: re.Pattern[str], replacement: Replacement) -> Clean:
    """One substitution; what is put in points to where the match began."""
    pieces: list[str] = []
    origin: list[int] = []
    end = 0
    for match in pattern.finditer(state.text):
        new = replacement if isinstance(replacement, str) else replacement(match)
        pieces += [state.text[end : match.start()], new]
        origin += state.origin[end : match.start()]
        # a kept inner part keeps its own offsets, so that spans of what stands in it stay right
        inside = state.text.find(new, match.start(), match.end()) if new else -1
        if inside >= 0:
            origin += state.origin[inside : inside + len(new)]
        else:
            origin += [state.origin[match.start()]] * len(new)
        end = match.end()
    if end == 0:
        return state
    return Clean("".join([*pieces, state.text[end:]]), (*origin, *state.origin[end:]))


def _steps(*pairs: tuple[str, Replacement]) -> list[tuple[re.Pattern[str], Replacement]]:
    return [(re.compile(pattern), replacement) for pattern, replacement in pairs]


def _apart(match: re.Match[str], name: str) -> str:
    """A name that does not run into the letters around it."""
    before = match.start() > 0 and (match.string[match.start() - 1].isalnum() or match.string[match.start() - 1] == "}")
    after = match.string[match.end() : match.end() + 1]
    return (" " if before else "") + name + (" " if after.isalpha() and after.isascii() else "")


def _sign(match: re.Match[str]) -> str:
    """A sign in ASCII; a dagger does not run into the next operator."""
    after = match.string[match.end() : match.end() + 1]
    return _SIGNS[match[0]] + (" " if match[0] == "†" and after.isalpha() else "")


def _subscript(match: re.Match[str]) -> str:
    plain = match[0].translate(_SUB)
    return f"_{plain}" if len(plain) == 1 else f"_{{{plain}}}"


_STEPS = _steps(
    (r"(?<=pi)\s*x\s*(?=[\d.])|(?<=π)\s*x\s*(?=[\d.])", " * "),
    (r"[µμ](?=[sgmlLMKAeWHN]\b|eV|Hz)", "u"),
    (r"[µμ]", "mu"),
    ("[" + "".join(GREEK) + "]", lambda m: _apart(m, GREEK[m[0]])),
    ("[₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₓ]+", _subscript),
    ("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱˣʸᶻ]+", lambda m: "^" + m[0].translate(_SUPER)),
    ("[" + "".join(_SIGNS) + "]", lambda m: _sign(m)),
    (r"\\(?:\(|\)|\[|\])|\$\$?|\*\*|(?<!`)`(?!`)", ""),
    (r"(?<=\d)\s*\*\s*10\s*\^\s*\{?\s*(-?\d+)\s*\}?", lambda m: f"e{m[1]}"),
    (r"(?<!\\)\\[,;:! ]|~(?=[A-Za-z])|\\(?:quad|qquad)\b", " "),
    (_DROPPED + r"(?!\{)", ""),
    (r"\\(?:langle|lvert)\b", "<"), (r"\\(?:rangle|rvert)\b", ">"), (r"\\(?:vert|mid)\b", "|"),
    (r"\\(?:otimes)\b", "@"), (r"\\(?:cdot|times)\b", "*"), (r"\\in\b", " in "), (r"\\(?:approx|simeq|sim)\b", "~"),
    (r"\\(?:ldots|dots|cdots)\b", "..."), (r"\\(?:leq?)\b", "<="), (r"\\(?:geq?)\b", ">="),
    (r"\\(?:to|rightarrow)\b", "->"),
    (r"\\dagger\b", "dag"), (r"\\AA\b", "Å"), (r"\\(?:degree|circ)\b", "deg"), (r"\\hbar\b", "hbar"),
    (r"\\ell\b", "l"),
    (r"\\\{", "{"), (r"\\\}", "}"), (r"\\%", "%"), (r"\\_", "_"),
    (r"\\varepsilon\b", "epsilon"), (r"\\varphi\b", "phi"),
)  # fmt: skip
_BRACES = _steps(
    (_INNER, lambda m: m[1]),
    (r"\\ket\{([^{}]*)\}", lambda m: f"|{m[1]}>"),
    (r"\\bra\{([^{}]*)\}", lambda m: f"<{m[1]}|"),
    (r"\\(?:expval|ev)\{([^{}]*)\}", lambda m: f"<{m[1]}>"),
    (r"\\(?:ketbra|dyad)\{([^{}]*)\}\{([^{}]*)\}", lambda m: f"|{m[1]}><{m[2]}|"),
    (r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", lambda m: f"(({m[1]})/({m[2]}))"),
    (r"\\[dt]?frac(\d)(\d)", lambda m: f"({m[1]}/{m[2]})"),
    (r"\\sqrt\{([^{}]*)\}", lambda m: f"sqrt({m[1]})"),
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
    (r"\|\s*([^|<>\n]{1,24}?)\s*>", lambda m: f"|{m[1]}>"),
    (r"\s?\(x\)\s?", "@"),
)
