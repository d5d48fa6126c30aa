"""The benchmark: `python -m bench` prints ratios of one run, over the real corpus."""
