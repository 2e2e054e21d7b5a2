"""Questions, and how relevant each sentence is to them."""
