"""Training keeps its memory: it does not grow with updates, nor with the states of an episode."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory from Linux")

# In a process of its own, where no other test has left memory: resident megabytes after each update.
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
import torch
from memsum_train.learning import learner as learning
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedCorpus
from memsum_train.learning.distributed import World
from memsum_train.paper.model import MemSum
from memsum_train.paper.train import AlgorithmOne
from memsum_train.policy import PolicyConfig

low, high, words, length, updates, part = map(int, sys.argv[1:7])
torch.set_num_threads(1)
rng = np.random.default_rng(0)
rows = []
for number in range(updates):
    size = int(rng.integers(low, high + 1))
    lengths = np.full(size, words)
    rows.append({
        "ids": rng.integers(1, 50, lengths.sum()), "starts": np.cumsum(lengths) - lengths,
        "features": np.zeros((size, 13)), "episodes": rng.choice(size, length, replace=False),
        "episode_lengths": np.array([length]), "rewards": np.array([0.3], np.float32),
    })
arrays = {"sources": np.zeros(updates, np.int64)}
for name in rows[0]:
    values = [row[name] for row in rows]
    arrays |= {name: np.concatenate(values), f"{name}_bounds": np.cumsum([0, *map(len, values)])}
config = PolicyConfig(local="lstm", dimension=64, word_dimension=64, heads=4, feed_forward=256)
network = MemSum(config, torch.randn(50, 64), torch.ones(50)).train()
settings = TrainingConfig(batch=1, epochs=1, part_sentences=part)
world = World(0, 1, torch.device("cpu"))
learner = AlgorithmOne(network, EncodedCorpus(arrays), lambda document, rng: document, settings, world)
if "keep" in sys.argv:
    learning.trim_memory = lambda: None
for _ in range(updates):
    learner.update()
    print(int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 10**6)
print(next(int(line.split()[1]) // 1000 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def measure(*arguments: object) -> list[int]:
    """Resident megabytes after each update, and the most at any time."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, *map(str, arguments)], capture_output=True, check=True)
    return [int(line) for line in done.stdout.split()]


def test_resident_memory_stays_flat_over_twenty_updates():
    *resident, _ = measure(20, 250, 12, 6, 20, 500)
    assert len(resident) == 20
    assert max(resident[4:]) - resident[3] < 30


def test_more_states_take_no_more_memory_at_once():
    few, many, together = (measure(200, 200, 4, *more)[-1] for more in ((2, 2, 400), (40, 2, 400), (40, 2, 40_000)))
    assert many - few < 40
    assert together - few > 150
