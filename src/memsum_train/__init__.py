"""What trains, measures and compares models; everything that needs PyTorch is here."""
