"""The pages that annotators see, served locally: nothing is fetched from elsewhere, nothing tells systems apart."""
