"""What a policy can be trained for, one objective a file; the paper's loss itself is in `memsum.training.objective`."""

from memsum.training.objectives.table import OBJECTIVES, Objective

__all__ = ["OBJECTIVES", "Objective"]
