"""An evaluator of queries that is slow, small and obviously right, and a maker of queries."""
