"""Words of other languages: abbreviations, and names of sections. English has a package of its own."""

from __future__ import annotations


def names(listed: str) -> frozenset[str]:
    """Return names that are listed with bars between them."""
    return frozenset(name.strip() for name in listed.split("|"))
