"""From a submission to its stored entries; pure, in processes that can be ended."""
