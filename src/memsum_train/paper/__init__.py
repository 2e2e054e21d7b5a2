"""The paper, as a person with the paper in hand would look for it.

| file | holds |
|---|---|
| `model.py` | section 3: local sentence, global context and extraction history encoder, extractor, policy |
| `train.py` | section 3.4: Algorithm 1 |
| `episodes.py` | appendix E: high-ROUGE episodes |
| `variants.py` | section 5.2: the ablations |
| `pubmed.toml` … | section 4: the settings of each data set, for `memsum train --recipe paper:pubmed` |

What the model that ships has in common with it (corpora, batches, checkpoints, processes, ROUGE) stands outside.
"""
