"""A short document, with sentences that say the same, and its summary."""

TEXT = (
    "The bridge was closed after inspectors found cracks in the northern cable.",
    "Traffic now takes the old ferry, which adds forty minutes.",
    "Inspectors found the cracks in the northern cable last spring.",
    "The ferry company hired twelve sailors.",
    "Repairs of the cable will cost nine million and take a year.",
    "A festival on the bridge had been planned for June.",
)
SUMMARY = ("Cracks in the northern cable closed the bridge.", "Repairs will take a year and cost nine million.")
