"""What all networks share (batches, one protocol, folders, export), and the count-based network.

The paper's network is `memsum_train.paper.model`. How networks learn is in `memsum_train.learning`, inference without
PyTorch in `memsum.model`.
"""

from memsum_train.policy.batch import Batch, State
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.network import Network, Policy, StepScores

__all__ = ["Batch", "Network", "Policy", "PolicyConfig", "State", "StepScores"]
