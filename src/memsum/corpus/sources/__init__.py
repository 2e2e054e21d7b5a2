"""What a corpus can be made of, one kind a file: each turns one input into an `Example`, or raises why it cannot."""
