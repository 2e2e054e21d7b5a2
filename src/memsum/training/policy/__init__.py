"""The paper's policy network in PyTorch, one file a block: local, context, history, extractor, and the policy of them.

Here are shapes and arithmetic only; what is learned from is in `memsum.training.learning`, inference without PyTorch in
`memsum.model`.
"""

from memsum.training.policy.batch import Batch, State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.policy import Encoded, Policy, StepScores

__all__ = ["Batch", "Encoded", "Policy", "PolicyConfig", "State", "StepScores"]
