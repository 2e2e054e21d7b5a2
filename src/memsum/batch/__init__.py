"""Jobs on many documents: inputs, engines, and a journal by which a killed run is resumed."""
