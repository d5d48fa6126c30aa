"""Texts of a corpus, kept in a file."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.corpus import copied_id, extract
from bench.peers.texts import Texts
from tests.support.samples import SAMPLES


@pytest.fixture
def texts(tmp_path: Path) -> Iterator[Texts]:
    with closing(Texts(SAMPLES, None, tmp_path)) as texts:
        yield texts


def test_texts_are_read_again_as_they_were_extracted(texts: Texts) -> None:
    expected = extract(SAMPLES)
    assert len(texts) == len(expected) > 30
    assert sorted(texts, key=str) == sorted(expected, key=str)
    assert texts[-1] == texts[len(texts) - 1] and texts[1:3] == [texts[1], texts[2]]


def test_copies_have_other_numbers_and_the_same_texts(texts: Texts, tmp_path: Path) -> None:
    first = texts.batch(tmp_path / "first", range(1))
    more = texts.batch(tmp_path / "more", range(1, 3))
    assert [each.document_id for each in first.texts] == [each.document_id for each in texts]
    for _ in range(2):
        copied = [(each.document_id, each.text) for each in more.texts]
        assert copied == [
            (copied_id(each.document_id, number), each.text) for number in (1, 2) for each in texts
        ]
    assert (more.documents, more.all_documents) == (2 * len(texts), 3 * len(texts))
    assert more.characters == sum(len(text) for _, text in copied)
    found = {each.document_id for each in extract(more.filings)}
    assert found == {key for key, _ in copied}
    assert {each.document_id for each in extract(first.filings)} == {
        each.document_id for each in texts
    }
