"""The networks in PyTorch: the paper's (`paper`) and the count-based one (`counted`), behind one protocol (`network`).

Here are shapes and arithmetic only; how they learn is in `memsum.training.learning`, inference without PyTorch in
`memsum.model`.
"""

from memsum.training.policy.batch import Batch, State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.network import Network, Policy, StepScores, StopScores

__all__ = ["Batch", "Network", "Policy", "PolicyConfig", "State", "StepScores", "StopScores"]
