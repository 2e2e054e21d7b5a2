"""English: word lists, section names, and the rules built on them."""
