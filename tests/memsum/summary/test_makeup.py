"""What a document is mostly made of: each text here is small, and written for this."""

from __future__ import annotations

import pytest

from memsum.document import read_document
from memsum.summary.warnings import makeup

PROSE = """The mill on the upper brook was built in 1874 and ground rye for three villages. Its wheel was made of oak
and turned on an iron shaft that came by rail from the coast. In the dry summer of 1911 the brook carried so little
water that the wheel stood still for nine weeks, as the books of the miller show (see Berg, 1998)."""
ROWS = [f"{number},Oak board,Anna Hale,{number * 3}.50,2026-03-{number:02}" for number in range(10, 28)]
TABLE = "\n".join(["id,item,customer,amount,date", *ROWS])
GRID = "| part | wood | years |\n|---|---|---|\n" + "\n".join(f"| wheel {n} | oak | {n} |" for n in range(20))
CODE = '''import json

def read(path):
    """Read a file."""
    with open(path) as file:
        return json.load(file)

class Wheel:
    turns = 0

    def turn(self, times=1):
        self.turns += times
        if self.turns > 100:
            raise ValueError("too fast")
'''
MAN = """WHEEL(1)            General Commands            WHEEL(1)

NAME
       wheel - turn the wheel of a mill

SYNOPSIS
       wheel [OPTION]... TIMES

DESCRIPTION
       The wheel is turned as often as TIMES says.

       -q     say nothing

SEE ALSO
       sluice(1)
"""
REFERENCES = "\n\n".join(
    f"[{n}] Berg, A., and Li, W. ({1980 + n}). On wheels of oak. Journal of Mills, {n}, 11-{20 + n}."
    for n in range(1, 15)
)
FORM = """Name: ____________________

Date of birth: ____________

Address: ______________________________

[ ] I want to help on Sundays.

[ ] I want to have the newsletter.

Place, date: ______________   Signature: ______________
"""
SPEECH = "\n".join(
    f"{name}: {words}"
    for n in range(10)
    for name, words in (
        ("Anna", f"Um, so the wheel, uh, that was in part {n}, yeah."),
        ("Ben", "Yeah, I think we could, um, look at the shaft."),
        ("Anna", "Okay."),
    )
)
STORY = " ".join(
    f"She turned and looked at him. “That is the door,” he said, and his voice was low. He counted {n} steps."
    for n in ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TABLE, "table"),
        (TABLE.replace(",", "\t"), "table"),
        (TABLE.replace(",", ";"), "table"),
        (GRID, "table"),
        (f"# Parts\n\nAll parts are listed here.\n\n{GRID}", "table"),
        (CODE, "code"),
        (MAN, "man page"),
        (REFERENCES, "references"),
        (FORM, "form"),
        (SPEECH, "speech"),
        (STORY, "story"),
        (PROSE, None),
        (f"# The mill\n\n{PROSE}\n\n```python\n{CODE}```\n", None),
        (f"# The mill\n\n{PROSE}\n\n{PROSE}\n\n{GRID}", None),
        (f"{PROSE}\n\nReferences\n\n{REFERENCES[:200]}", None),
    ],
)
def test_what_a_document_is_made_of(text: str, expected: str | None) -> None:
    assert makeup(read_document(text, format="plain")) == expected
