"""Other software that could search these texts, side by side with this service in one run.

`python -m bench.peers` measures, `python -m bench.peers.page` writes docs/performance.md of it.
"""
