"""What else a user could search these texts with, side by side with this service in one run.

`python -m bench.peers` measures, `python -m bench.peers.page` writes docs/performance.md of it.
"""
