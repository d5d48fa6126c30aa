"""Say whether an installation can work: what is looked at, and what is to be done if it cannot."""
