"""How a command ended, as documented in docs/ingest.md."""

DONE, COULD_NOT_RUN = 0, 1
# As argparse has it.
WRONG_COMMAND_LINE = 2
# It ran to its end, but not all that was asked for is there.
SOME_REFUSED = INCOMPLETE = 3
