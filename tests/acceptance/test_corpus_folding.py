"""The texts that snippets are cut from, of every passage of the real corpus."""

import html

import pytest

from edgar_search.search.snippets.folding import fold
from ingest.reading.transform import cut
from tests.oracle.texts import Texts
from tests.support.asking import stands_in


@pytest.mark.long
def test_every_passage_is_shown_in_its_order_and_words(texts: Texts) -> None:
    passages = [text[begin:end] for text in texts.texts.values() for begin, end in cut(text)]
    wrong = [
        passage
        for passage in passages
        if not stands_in(html.escape(fold(passage).text, quote=False), passage)
    ]
    assert (len(passages) > 20_000, wrong) == (True, [])
