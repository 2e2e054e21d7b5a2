"""The paper's network, one module per block: local (LSE), context (GCE), history (EHE), extractor; and its variants.

The ablations are blocks of their own modules (`MeanLocal`, `NoContext`, `NoHistory`, `GRUHistory`); the variants that
change more than a block are networks: a stop sentence (`stop_sentence`) and the baseline SummaRuNNer (`summarunner`).
"""
