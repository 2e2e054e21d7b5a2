"""Learning a policy: encoded corpora, batches, objectives, the loop, checkpoints, several processes.

What is learned is in `memsum_train.policy`; how good it is, in `memsum_train.evaluation`.
"""
