"""A summary as text and as Markdown, in phrases that are safe to print."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING
from urllib.parse import quote

from memsum.printable import one_line

if TYPE_CHECKING:
    from memsum.summary.summary import Context, Explanation, Summary, SummarySentence


def spoken(sentence: SummarySentence | Context) -> str:
    """Put a quote or its context on one line, after the name of its speaker, if it has one."""
    said = " · ".join(map(one_line, sentence.text.split("\n\n")))  # items that are quoted together
    return f"{one_line(sentence.speaker)}: {said}" if sentence.speaker else said


def position(sentence: SummarySentence, summary: Summary) -> str:
    """Describe the position of a sentence, for people: they count from 1."""
    parts = [one_line(sentence.source)] if sentence.source is not None else []
    parts += [one_line(sentence.section)] if sentence.section else []
    if sentence.page is not None:
        parts.append(f"page {sentence.page}")
    parts += [sentence.time] if sentence.time else []
    if sentence.beside is not None:
        parts.append(sentence.beside)
    else:
        parts.append(f"sentence {sentence.index + 1} of {len(summary.documents[sentence.document].sentences)}")
    if sentence.answer is not None:
        parts.append(sentence.answer)
    return ", ".join(parts)


def count_of(summary: Summary) -> str:
    """Return how many sentences the summary has, of how many."""
    count = summary.document_sentences
    return f"{len(summary)} of {count:,} sentences" if count != 1 else f"{len(summary)} of 1 sentence"


def keyword_line(summary: Summary) -> str:
    """List the keywords of the document with their counts, if they are to be shown and there are any."""
    if not summary.shows_keywords or not summary.keywords:
        return ""
    return f"Keywords: {', '.join(f'{one_line(term.text)} ({term.count})' for term in summary.keywords)}"


def author_line(summary: Summary) -> str:
    """List the authors of the document, where they are known; of several documents none."""
    return one_line(", ".join(summary.documents[0].authors)) if len(summary.documents) == 1 else ""


def abstract_lines(summary: Summary) -> list[str]:
    """Return the documents' own abstracts, each on one line, if they are to be shown and there are any."""
    if not summary.shows_abstract or not summary.abstract:
        return []
    return [f"Abstract: {one_line(text)}" for text in summary.abstract.split("\n") if text.strip()]


def ending(summary: Summary) -> str:
    """Return why the summary ends where it does, in half a sentence."""
    return {
        "policy": "the model stopped here",
        "max_sentences": "the maximum",
        "sentences": "as many as asked for",
        "words": "as many words as asked for",
        "characters": "as many characters as asked for",
        "ratio": "the share that was asked for",
        "document": "all of them",
        "relevance": "no other relevant sentence" if summary.sentences else "no relevant sentence found",
    }[summary.stop.reason]


_FAINT, _PLAIN = "\x1b[2m", "\x1b[0m"
_INDENT = "  "
_NEEDED = ("lead-in", "question", "head")
_NARROWEST = 20


def render_text(summary: Summary, width: int | None = None, *, color: bool = False) -> str:
    """Render a summary; context, positions and the ending are faint if colors are wanted."""
    steps = _steps(summary.explanation, summary) if summary.explanation else []
    if width is None:
        groups = []
        for section in summary.groups:
            lines = [f"# {one_line(section.title)}"] if section.title else []
            for sentence in section.sentences:
                # Without its lead-in, question or head, the sense of a quote may be the opposite.
                needed = sentence.context if sentence.context and sentence.context.kind in _NEEDED else None
                line = f"{spoken(needed)} … {spoken(sentence)}" if needed else spoken(sentence)
                named = f"{one_line(sentence.source)}: " if sentence.source is not None else ""
                lines.append(f"{named}{line} {spoken(sentence.after)}" if sentence.after else f"{named}{line}")
            groups.append("\n".join(lines))
        keywords = [f"\n{line}"] if (line := keyword_line(summary)) else []
        return "\n".join([*(f"{line}\n" for line in abstract_lines(summary)), "\n\n".join(groups), *keywords, *steps])
    width = max(width, _NARROWEST)

    def wrapped(text: str, first: str = "", others: str = "") -> str:
        return "\n".join(textwrap.wrap(text, width, initial_indent=first, subsequent_indent=others))

    def faint(text: str) -> str:
        return "\n".join(f"{_FAINT}{line}{_PLAIN}" for line in text.split("\n")) if color else text

    paragraphs = [wrapped(line) for line in abstract_lines(summary)]
    for section in summary.groups:
        paragraphs += [wrapped(f"# {one_line(section.title)}")] if section.title else []
        for sentence in section.sentences:
            before = f"… {spoken(sentence.context)}" if sentence.context else ""
            lines = [faint(wrapped(before, _INDENT, _INDENT))] if before else []
            said = sentence.text.split("\n") if sentence.beside == "code" else [spoken(sentence)]
            lines += [wrapped(one_line(line), _INDENT if at else "• ", _INDENT) for at, line in enumerate(said)]
            lines += [faint(wrapped(spoken(sentence.after), _INDENT, _INDENT))] if sentence.after else []
            where = position(sentence, summary)
            lines.append(faint(wrapped(where, _INDENT, _INDENT)))
            paragraphs.append("\n".join(lines))
    paragraphs.append(faint(wrapped(f"{count_of(summary)}, {ending(summary)}")))
    paragraphs += [wrapped(line)] if (line := keyword_line(summary)) else []
    paragraphs += [faint("\n".join(steps))] if steps else []
    return "\n\n".join(paragraphs)


def _steps(explanation: Explanation, summary: Summary) -> list[str]:
    """Make a table of the steps: the sentence taken, its score, and the probability of stopping before."""
    rows = ["step  sentence  score  stop before"]
    for sentence in sorted((one for one in summary if one.step >= 0), key=lambda sentence: sentence.step):
        stop = explanation.stops[sentence.step]
        rows.append(f"{sentence.step + 1:4}  {sentence.number + 1:8}  {sentence.score:.3f}  {stop:.3f}")
    rows.append(f" end                   {explanation.stops[-1]:.3f}")
    if explanation.reasons:
        names = list(explanation.reasons[0].parts)
        rows += ["", "What the ratings are made of; the last sentence would have come next:", ""]
        rows.append("sentence" + "".join(f"  {name.replace('_', ' '):>13}" for name in names))
        for one in explanation.reasons:
            rows.append(f"{one.number + 1:8}" + "".join(f"  {value + 0.0:13.2f}" for value in one.parts.values()))
    return rows


_MARKUP = re.compile(r"([\\`*_\[\]<>|~$&])")
_FIRST = re.compile(r"^(\d*)([-+#=.)])")  # what would make a heading or a list of a line that begins with it


def render_markdown(summary: Summary) -> str:
    """Render a list of quotes, under the title of the document if it has one."""
    title = summary.documents[0].title if len(summary.documents) == 1 else None
    parts = [f"# {_quote(title)}"] if title else []
    parts += map(_quote, [author_line(summary), *abstract_lines(summary)])
    for section in summary.groups:
        if section.title:
            parts.append(f"## {_quote(section.title)}")
        items = []
        for sentence in section.sentences:
            speaker = f"**{_quote(sentence.speaker)}:** " if sentence.speaker else ""
            before = f"*[{_inside(spoken(sentence.context))}]* " if sentence.context else ""
            after = f" *[{_inside(spoken(sentence.after))}]*" if sentence.after else ""
            where = _quote(position(sentence, summary))
            name = str(sentence.source if sentence.source is not None else summary.id or "")
            is_pdf = summary.documents[sentence.document].format == "pdf" and name.lower().endswith(".pdf")
            if sentence.page is not None and is_pdf:  # a link to the file, as far as it is known by its name
                page, address = f"page {sentence.page}", f"{quote(name, safe='/:.-_~')}#page={sentence.page}"
                where = where.replace(page, f"[{page}]({address})", 1)
            items.append(f"- {before}{speaker}{_quote(sentence.text)}{after} *({where})*")
        parts.append("\n".join(items))
    parts.append(_inside(keyword_line(summary)))
    parts.append(f"*{len(summary)} of {summary.document_sentences:,} sentences, {_quote(ending(summary))}*")
    return "\n\n".join(part for part in parts if part)


def _quote(text: str) -> str:
    """Escape a text that may begin a line: words of a document never become markup, nor a link."""
    return _FIRST.sub(r"\1\\\2", _inside(text))


def _inside(text: str) -> str:
    """Escape a text that begins no line."""
    return _MARKUP.sub(r"\\\1", one_line(text))
