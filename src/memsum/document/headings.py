"""What the name of a section says about its text."""

from __future__ import annotations

import re

from memsum.document.document import BlockKind

_NUMBER = re.compile(r"^(?:(?:section|chapter)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[ivx]{1,5})[.:)]?\s+", re.IGNORECASE)


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split("|"))


_BODY = _names(
    """
    introduction | background | overview | motivation | related work | literature review | theory | preliminaries
    | objective | objectives | aim | aims | purpose | materials and methods | methods and materials | methods | method
    | methodology | materials | model | approach | patients and methods | subjects and methods | study design | data
    | data and methods | experiments | experimental | experimental section | experimental setup | evaluation | analysis
    | statistical analysis | case report | case presentation | results | findings | results and discussion | discussion
    | discussion and conclusion | discussion and conclusions | limitations | implications | recommendations
    | future work | conclusion | conclusions | concluding remarks | summary | executive summary
    """
)
_REFERENCES = _names("references | reference | bibliography | literature cited | works cited | references cited")
_BOILERPLATE = _names(
    """
    acknowledgements | acknowledgments | acknowledgement | acknowledgment | funding | funding statement
    | funding information | conflict of interest | conflicts of interest | conflict of interests | competing interests
    | competing interest | declaration of interest | declaration of competing interest | declarations | disclosure
    | disclosures | disclosure statement | author contributions | authors contributions | contributions
    | author information | authors information | data availability | data availability statement | code availability
    | availability of data and materials | ethics statement | ethics approval | ethical approval | informed consent
    | ethics approval and consent to participate | consent for publication | supplementary material
    | supplementary materials | supplementary information | supporting information | additional information
    | abbreviations | publishers note | table of contents | contents | see also | external links | further reading
    """
)


def section_name(heading: str) -> str:
    """A heading without its number, case and punctuation, for comparison."""
    return " ".join(re.sub(r"[^\w\s]", "", _NUMBER.sub("", heading.strip())).lower().split())


def is_known(heading: str) -> bool:
    """Whether a line is the name of a section that most papers and reports have."""
    name = section_name(heading)
    return name == "abstract" or name in _BODY or name in _REFERENCES or name in _BOILERPLATE


def role_of(heading: str) -> BlockKind | None:
    """What the text below a heading is, if it is not running text."""
    name = section_name(heading)
    if name == "abstract":
        return "abstract"
    if name in _REFERENCES:
        return "reference"
    if name in _BOILERPLATE:
        return "boilerplate"
    return None
