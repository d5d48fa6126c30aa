"""The abilities that a peer must have, and its answers."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

import psutil

from bench.corpus import Extracted
from bench.peers.questions import Question

TOP = 20
MARK, MARK_END = "<mark>", "</mark>"
SNIPPET_CHARACTERS = 300


class Found(NamedTuple):
    """The best hits with a snippet of each, and how many there are exactly."""

    ids: list[str]
    total: int
    snippets: list[str]

    @property
    def marked(self) -> int:
        """The number of snippets with a mark."""
        return sum(MARK in snippet for snippet in self.snippets)


class Batch(NamedTuple):
    """An addition to every peer: submissions, and the texts that our reader makes of them.

    `texts` can be read again and again. `documents` and `characters` are what it adds; `copies`,
    `all_documents` and `all_characters` what there is with it.
    """

    filings: Path
    texts: Iterable[Extracted]
    copies: int
    documents: int
    characters: int
    all_documents: int
    all_characters: int


class Peer(Protocol):
    """A search engine with the texts in it; `search` and `matches` may be called by many threads.

    `served` peers answer over HTTP, others work in this process. `processes` are those that work
    for it, by what they are called.
    """

    name: str
    served: bool
    processes: Mapping[str, psutil.Process]

    def build(self, batch: Batch) -> None:
        """Add a batch; searches find it when this returns."""

    def search(self, question: Question) -> Found:
        """Return the best TOP hits; raises Unable if it cannot be asked."""

    def matches(self, question: Question) -> set[str]:
        """Return the ids of all hits; raises Unable if it cannot be asked."""

    def size(self) -> int:
        """Return bytes on disk."""
