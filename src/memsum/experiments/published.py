"""The figures of the paper's Tables 2 and 3: ROUGE-1, 2 and L on data and by scripts that are not ours."""

from __future__ import annotations

DATASETS = ("PubMed", "arXiv", "PubMed-trunc", "GovReport")

Figures = tuple[float, float, float]

PUBLISHED: dict[str, dict[str, Figures]] = {
    "ORACLE": {
        "PubMed": (61.99, 34.95, 56.76),
        "arXiv": (60.00, 30.60, 53.03),
        "PubMed-trunc": (45.12, 20.33, 40.19),
        "GovReport": (75.56, 45.91, 72.51),
    },
    "Lead": {
        "PubMed": (37.45, 14.19, 34.07),
        "arXiv": (35.52, 10.33, 31.44),
        "PubMed-trunc": (37.58, 12.22, 33.44),
        "GovReport": (50.94, 19.53, 48.45),
    },
    "SummaRuNNer": {"PubMed": (43.89, 18.78, 30.36), "arXiv": (42.81, 16.52, 28.23)},
    "NeuSum": {"PubMed": (47.46, 21.92, 42.87), "arXiv": (47.49, 21.56, 41.58), "GovReport": (58.94, 25.38, 55.80)},
    "MemSum": {
        "PubMed": (49.25, 22.94, 44.42),
        "arXiv": (48.42, 20.30, 42.54),
        "PubMed-trunc": (43.08, 16.71, 38.30),
        "GovReport": (59.43, 28.60, 56.69),
    },
    "Atten-Cont": {"PubMed": (44.85, 19.70, 31.43), "arXiv": (43.62, 17.36, 29.14)},
    "Sent-CLF": {"PubMed": (45.01, 19.91, 41.16), "arXiv": (34.01, 8.71, 30.41)},
    "Sent-PTR": {"PubMed": (43.30, 17.92, 39.47), "arXiv": (42.32, 15.63, 38.06)},
    "MatchSum": {"PubMed-trunc": (41.21, 14.91, 36.75)},
    "PEGASUS": {"PubMed": (45.97, 20.15, 41.34), "arXiv": (44.21, 16.95, 38.83)},
    "BigBird": {"PubMed": (46.32, 20.65, 42.33), "arXiv": (46.63, 19.02, 41.77)},
    "Dancer": {"PubMed": (46.34, 19.97, 42.42), "arXiv": (45.01, 17.60, 40.56)},
    "Hepos-Sinkhorn": {
        "PubMed": (47.93, 20.74, 42.58),
        "arXiv": (47.87, 20.00, 41.50),
        "GovReport": (56.86, 22.62, 53.82),
    },
    "Hepos-LSH": {"PubMed": (48.12, 21.06, 42.72), "arXiv": (48.24, 20.26, 41.78), "GovReport": (55.00, 21.13, 51.67)},
}
