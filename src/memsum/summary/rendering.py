"""A summary as text and as Markdown, in phrases that are safe to print."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from memsum.printable import one_line

if TYPE_CHECKING:
    from memsum.summary.summary import Context, Explanation, Summary, SummarySection, SummarySentence


def spoken(sentence: SummarySentence | Context) -> str:
    """Put a quote or its context on one line, after the name of its speaker, if it has one."""
    name = one_line(sentence.speaker) if sentence.speaker else ""
    return f"{name}: {one_line(sentence.text)}" if name else one_line(sentence.text)


def position(sentence: SummarySentence, summary: Summary) -> str:
    """Describe the position of a sentence, for people: they count from 1."""
    parts = [one_line(sentence.source)] if sentence.source is not None else []
    parts += [one_line(sentence.section)] if sentence.section else []
    if sentence.page is not None:
        parts.append(f"page {sentence.page}")
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
_NARROWEST = 20


def render_text(summary: Summary, width: int | None = None, *, colour: bool = False) -> str:
    """Render a summary; context, positions and the ending are faint if colours are wanted."""
    if width is None:
        groups = ["\n".join([*_heading(section), *map(_alone, section.sentences)]) for section in summary.groups]
        keywords = [f"\n{line}"] if (line := keyword_line(summary)) else []
        abstracts = [f"{line}\n" for line in abstract_lines(summary)]
        return "\n".join([*abstracts, "\n\n".join(groups), *keywords, *_steps(summary.explanation, summary)])
    width = max(width, _NARROWEST)

    def faint(lines: list[str]) -> str:
        return "\n".join(f"{_FAINT}{line}{_PLAIN}" if colour else line for line in lines)

    paragraphs = ["\n".join(textwrap.wrap(line, width)) for line in abstract_lines(summary)]
    for section in summary.groups:
        paragraphs += ["\n".join(textwrap.wrap(heading, width)) for heading in _heading(section)]
        for sentence in section.sentences:
            bullet = textwrap.wrap(spoken(sentence), width, initial_indent="• ", subsequent_indent=_INDENT)
            where = textwrap.wrap(position(sentence, summary), width, initial_indent=_INDENT, subsequent_indent=_INDENT)
            before = textwrap.wrap(f"… {spoken(sentence.context)}", width - 2) if sentence.context else []
            lines = [faint([f"{_INDENT}{line}" for line in before])] if before else []
            paragraphs.append("\n".join([*lines, *bullet, faint(where)]))
    paragraphs.append(faint(textwrap.wrap(f"{count_of(summary)}, {ending(summary)}", width)))
    if line := keyword_line(summary):
        paragraphs.append("\n".join(textwrap.wrap(line, width)))
    if summary.explanation:
        paragraphs.append(faint(_steps(summary.explanation, summary)))
    return "\n\n".join(paragraphs)


def _alone(sentence: SummarySentence) -> str:
    """Put a quote on one line; behind the lead-in or question without which its sense may be the opposite."""
    context = sentence.context
    if context is None or context.kind not in ("lead-in", "question"):
        return spoken(sentence)
    return f"{spoken(context)} … {spoken(sentence)}"


def _heading(section: SummarySection) -> list[str]:
    return [f"# {one_line(section.title)}"] if section.title else []


def _steps(explanation: Explanation | None, summary: Summary) -> list[str]:
    """Make a table of the steps: the sentence taken, its score, and the probability of stopping before."""
    if explanation is None:
        return []
    rows = ["step  sentence  score  stop before"]
    for sentence in sorted(summary, key=lambda sentence: sentence.step):
        stop = explanation.stops[sentence.step]
        rows.append(f"{sentence.step + 1:4}  {sentence.number + 1:8}  {sentence.score:.3f}  {stop:.3f}")
    return [*rows, f" end                   {explanation.stops[-1]:.3f}"]


_MARKUP = re.compile(r"([\\`*_\[\]<>|~$&])")
_FIRST = re.compile(r"^(\d*)([-+#=.)])")  # what would make a heading or a list of a line that begins with it


def render_markdown(summary: Summary) -> str:
    """Render a list of quotes, under the title of the document if it has one."""
    title = summary.documents[0].title if len(summary.documents) == 1 else None
    parts = [f"# {_quote(title)}"] if title else []
    parts.append(_quote(author_line(summary)))
    parts += map(_quote, abstract_lines(summary))
    for section in summary.groups:
        if section.title:
            parts.append(f"## {_quote(section.title)}")
        parts.append("\n".join(_item(sentence, summary) for sentence in section.sentences))
    parts.append(_inside(keyword_line(summary)))
    parts.append(f"*{len(summary)} of {summary.document_sentences:,} sentences, {_quote(ending(summary))}*")
    return "\n\n".join(part for part in parts if part)


def _item(sentence: SummarySentence, summary: Summary) -> str:
    speaker = f"**{_quote(sentence.speaker)}:** " if sentence.speaker else ""
    before = f"*[{_inside(spoken(sentence.context))}]* " if sentence.context else ""
    return f"- {before}{speaker}{_quote(sentence.text)} *({_quote(position(sentence, summary))})*"


def _quote(text: str) -> str:
    """Escape a text that may begin a line: words of a document never become markup, nor a link."""
    return _FIRST.sub(r"\1\\\2", _inside(text))


def _inside(text: str) -> str:
    """Escape a text that begins no line."""
    return _MARKUP.sub(r"\\\1", one_line(text))
