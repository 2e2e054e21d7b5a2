"""Hooks of mkdocs: put the repository's other pages on the site, point links at them, and keep samples out of search.

The same Markdown reads well on a code host, where links are paths within the repository.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent

# Pages outside docs/, and what they are called on the site.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
    "src/memsum/model/embedded/default/README.md": "model-card.md",
}
# Not found by the search: texts that memsum summarizes, and what was measured once.
UNSEARCHED = ("demo/", "gallery", "sample/", "experiments/", "benchmarks")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#:]+)(#[^)]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are outside docs/."""
    for source, target in PAGES.items():
        files.append(File.generated(config, target, content=(ROOT / source).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:
    """Turn paths within the repository into paths within the site; a link to what is not on the site becomes text."""
    here = page.file.src_uri
    if here.startswith(UNSEARCHED):
        page.meta["search"] = {"exclude": True}
    source = next((outside for outside, inside in PAGES.items() if inside == here), f"docs/{here}")

    def on_site(match: re.Match[str]) -> str:
        mark, text, target, anchor = match.groups()
        path = normpath(str(PurePosixPath(source).parent / target))
        inside = PAGES.get(path) or (
            path.removeprefix("docs/") if path.startswith("docs/") else None
        )
        if inside is None or files.get_file_from_path(inside) is None:
            if (ROOT / path).exists():
                return text
            return match[0]  # broken, and reported as such
        return f"{mark}[{text}]({relpath(inside, PurePosixPath(here).parent)}{anchor or ''})"

    return LINK.sub(on_site, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Point the links of llms.txt at the pages of the site."""
    listed = Path(config.site_dir, "llms.txt")
    text = re.sub(r"\((\S+?)(?:README)?\.md\)", r"(\1/)", listed.read_text("utf-8"))
    listed.write_text(text.replace("//)", "/)"), encoding="utf-8")
