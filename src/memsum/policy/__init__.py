"""The paper's policy network in PyTorch, one file a block: local, context, history, extractor, and the policy of them.

Here are shapes and arithmetic only; what is learned from is in `memsum.training`, inference without PyTorch in
`memsum.runtime`.
"""

from memsum.policy.batch import Batch, State
from memsum.policy.config import PolicyConfig
from memsum.policy.policy import Encoded, Policy, StepScores

__all__ = ["Batch", "Encoded", "Policy", "PolicyConfig", "State", "StepScores"]
