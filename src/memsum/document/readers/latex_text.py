"""A stretch of LaTeX as plain text: accents, symbols, citations, formulas; unknown commands leave their arguments."""

from __future__ import annotations

import re
import unicodedata


def _pairs(table: str) -> dict[str, str]:
    """Names and what they stand for, by turns."""
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_ACCENTS = dict(
    zip(
        "'`^\"~=.uvHckrdb",
        "\u0301\u0300\u0302\u0308\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0328\u030a\u0323\u0331",
        strict=True,
    )
)
_ACCENT = re.compile(r"\\(?:(['`^\"~=.])\s*|([uvHckrdb])(?:\s+|(?=\{)))(?:\{\s*(\\?[a-zA-Z])\s*\}|(\\?[a-zA-Z]))")
_GREEK = _pairs(
    """
    alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ
    sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω
    """
)
_OTHERS = _pairs(
    """
    varepsilon ε vartheta θ varphi φ times × cdot · cdotp · pm ± leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ sim ~
    ll ≪ gg ≫
    infty ∞ sum Σ prod ∏ int ∫ partial ∂ nabla ∇ in ∈ subset ⊂ cup ∪ cap ∩ to → rightarrow → leftarrow ← Rightarrow ⇒
    forall ∀ exists ∃ propto ∝ equiv ≡ mid | vert | langle ⟨ rangle ⟩ star * ast * ldots … dots … cdots … textellipsis …
    degree ° textdegree ° circ ° prime ′ ell ℓ ss ß ae æ AE Æ oe œ OE Œ o ø O Ø aa å AA Å l ł L Ł i ı j ȷ S § P ¶
    copyright © pounds £ euro € texteuro € LaTeX LaTeX TeX TeX textasciitilde ~ textendash – textemdash —
    textquoteright ’ textquoteleft ‘
    """
)
_SYMBOLS = {
    **_GREEK,
    **{name.capitalize(): letter.upper() for name, letter in _GREEK.items()},
    **_OTHERS,
    **dict.fromkeys(("quad", "qquad", "space"), " "),
}
_CITE = re.compile(
    r"\s*~?\\(?P<name>[cC]ite[a-zA-Z]*|parencite|textcite|autocite|footcite)\*?\s*(?:\[[^\]]*\]\s*){0,2}\{[^{}]*\}"
)
_REF = re.compile(r"\\(?:auto|c|C|eq|page|name|v)?ref\*?\s*\{[^{}]*\}")
_SILENT = re.compile(
    r"\\(?:label|vspace|hspace|includegraphics|input|include|bibliographystyle|bibliography|pagestyle|thispagestyle|setlength"
    r"|setcounter|addtocounter|renewcommand|index|hypersetup|usepackage|graphicspath|resizebox|addbibresource|vskip|cellcolor"
    r"|definecolor|color|captionsetup|pagenumbering|markboth|addcontentsline|phantomsection|IEEEpeerreviewmaketitle|newcolumntype)"
    r"\*?(?![a-zA-Z])\s*(?:\[[^\]\n]*\]\s*)*(?:\{[^{}]*\})*"
)
_LINK = re.compile(
    r"\\href\s*\{[^{}]*\}|\\(?:textcolor|colorbox|hyperref|fontsize|selectlanguage|foreignlanguage)\s*(?:\{[^{}]*\}|\[[^\]]*\])"
)
_MATH = re.compile(
    r"\$\$(?P<display>.{0,3000}?)\$\$|(?<!\\)\$(?P<inline>[^$]*)\$|\\\((?P<round>.{0,1000}?)\\\)|\\\[(?P<square>.{0,3000}?)\\\]"
    r"|\\begin\{(?P<name>equation|align|gather|multline|eqnarray|displaymath|math|split|flalign|alignat)\*?\}(?P<block>.{0,2500}?)\\end\{(?P=name)\*?\}",
    re.DOTALL,
)
_COMMAND = re.compile(r"\\(?P<name>[a-zA-Z]+)\*?(?:[ \t]*\n?[ \t]*(?=[a-zA-Z\\{\[(]))?(?:\[[^\]\n]*\](?=\{))?")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\[[^\]\n]*\])?")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LONGEST = 20_000  # characters of an argument


def argument(text: str, at: int, longest: int = _LONGEST) -> tuple[str, int]:
    """The argument at a place: what a pair of braces holds, or one character; and the place behind it.

    Where the second brace is missing, the argument is cut at its longest.
    """
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text):
        return "", at
    if text[at] != "{":
        command = re.compile(r"\\[a-zA-Z]+").match(text, at)
        return (command[0], command.end()) if command else (text[at], at + 1)
    depth = 0
    for found in _BRACE.finditer(text, at, at + longest):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return text[at + 1 : found.start()], found.end()
    return text[at + 1 : at + longest], min(len(text), at + longest)


def plain(text: str) -> str:
    """Readable text, on one line."""
    text = _MATH.sub(lambda found: f" {_formula(found)} " if _is_display(found) else _formula(found), text)
    text = _CITE.sub(" [cite]", text)
    text = _REF.sub("[ref]", text)
    text = _SILENT.sub(" ", text)
    text = _LINK.sub("", text)
    text = _ENVIRONMENT.sub(" ", text)
    text = _ACCENT.sub(_accented, text)
    text = re.sub(r"\\(?:\\|newline\b|linebreak\b)\*?(?:\[[^\]\n]*\])?", " ", text)
    text = re.sub(r"\\[,;:! ]|~", " ", text)
    text = _COMMAND.sub(_symbol, text)
    text = re.sub(r"\\([%&$#_{}])", _hidden, text)
    text = re.sub(r"[{}]", "", text).replace("\\-", "").replace("\\/", "").replace("\\@", "").replace("\\", "")
    text = text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    text = text.translate({0xE000 + ord(char): char for char in "%&$#_{}"})
    return re.sub(r"\s+([.,;:)\]?!])", r"\1", " ".join(text.split()))


def _hidden(found: re.Match[str]) -> str:
    """An escaped character, out of the way until the braces are gone."""
    return chr(0xE000 + ord(found[1]))


def _accented(found: re.Match[str]) -> str:
    letter = (found[3] or found[4]).lstrip("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[found[1] or found[2]])


def _symbol(found: re.Match[str]) -> str:
    return _SYMBOLS.get(found["name"], "")


def _is_display(found: re.Match[str]) -> bool:
    return found["inline"] is None and found["round"] is None


def _formula(found: re.Match[str]) -> str:
    """A formula as text: symbols for commands, no alignment, no spacing commands."""
    groups = (found["display"], found["inline"], found["round"], found["square"], found["block"])
    formula = next((group for group in groups if group is not None), "")
    formula = re.sub(
        r"\\label\s*\{[^{}]*\}|\\(?:nonumber|notag|displaystyle|limits|left|right|big|Big|bigg|Bigg)(?![a-zA-Z])\.?",
        "",
        formula,
    )
    formula = re.sub(r"\\(?:text|mathrm|textrm|mbox|operatorname)\s*\{([^{}]*)\}", r" \1 ", formula)
    formula = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"(\1)/(\2)", formula)
    formula = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r"√(\1)", formula)
    formula = re.sub(r"(?<!\\)&|\\\\", " ", formula)
    formula = re.sub(r"\\([a-zA-Z]+)", lambda command: _SYMBOLS.get(command[1], _name(command[1])), formula)
    return " ".join(re.sub(r"\\[,;:!|]|[{}~]", " ", formula).replace("_ ", "_").replace("^ ", "^").split()).replace(
        "\\", ""
    )


def _name(command: str) -> str:
    """Functions keep their names; commands that only change the look of letters go."""
    known = (
        "log",
        "exp",
        "sin",
        "cos",
        "tan",
        "max",
        "min",
        "arg",
        "lim",
        "ln",
        "det",
        "sup",
        "inf",
        "Pr",
        "argmax",
        "argmin",
    )
    return f"{command} " if command in known else ""
