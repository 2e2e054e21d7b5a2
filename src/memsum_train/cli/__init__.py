"""The commands that build corpora, train and measure; heavy imports happen inside of them."""
