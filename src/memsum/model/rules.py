"""The rules: numbers that are subtracted from the policy's ratings, for every document alike.

| rule | subtracts | why |
|---|---|---|
| low value | `penalties.low_value` | labels, fragments, small talk, announcements of what comes next say nothing |
| needs context | `penalties.needs_context` | quotes should stand alone |
| said before | `AGAIN` × pairs of words said, beyond `REPEATED` | readers mind repeats, ROUGE does not |

A model's config has the penalties; what a sentence of low value is, and one that needs context, is in
`memsum.languages`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memsum.arrays import F32, Floats

REPEATED = 0.3  # share of the pairs of words that may have been said without a penalty
# The penalty for saying all of them again. Not learned. Between 6 and 10, mean ROUGE of 220 validation documents is the
# same (45.6); quotes of papers that repeat much fall from 11.0 to 7.3 %.
AGAIN = 10.0


@dataclass(frozen=True)
class Penalties:
    """What each rule subtracts from the ratings of N sentences, whatever was said before."""

    low_value: F32  # (N,)
    needs_context: F32  # (N,)

    @property
    def fixed(self) -> F32:
        """The sum, (N,)."""
        return self.low_value + self.needs_context


def said_before(pairs_said: Floats) -> Floats:
    """Return the penalty for the share of each sentence's pairs of words that was said before."""
    return np.asarray(AGAIN * np.maximum(pairs_said - REPEATED, 0))
