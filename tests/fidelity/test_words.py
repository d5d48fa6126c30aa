"""No word of a document is lost, added, glued to its neighbour or cut."""

from pathlib import Path

import pytest

from edgar_search.text.versions import DocumentKind
from tests.fidelity.words import Words, compare, html_words, xml_words

EVERY = 10  # of the documents, so that this takes seconds


@pytest.mark.parametrize(
    ("every", "documents"),
    [
        (
            EVERY,
            {
                DocumentKind.HTML: 90,
                DocumentKind.XML: 20,
                DocumentKind.PLAIN: 45,
                DocumentKind.SCHEDULE: 2,
            },
        ),
        pytest.param(
            1,
            {
                DocumentKind.HTML: 937,
                DocumentKind.XML: 203,
                DocumentKind.PLAIN: 497,
                DocumentKind.SCHEDULE: 49,
            },
            marks=pytest.mark.long,
        ),
    ],
)
def test_terms_of_documents(corpus: Path, every: int, documents: dict[DocumentKind, int]) -> None:
    for kind, words in compare(corpus, every).items():
        assert words.differences == {}
        assert words.documents >= documents[kind]


def test_comparison_sees_lost_and_extra_words() -> None:
    words = Words()
    words.add("glued", ["mossgrows"], ["moss", "grows"])
    words.add("turned round", ["grows", "moss"], ["moss", "grows"])
    assert (words.documents, words.terms, words.lost, words.extra) == (2, 4, 2, 1)
    assert words.differences == {
        "glued": (["grows", "moss"], ["mossgrows"]),
        "turned round": ([], []),
    }


def test_reference_keeps_blocks_apart_and_hides_what_is_hidden() -> None:
    html = (
        "<title>T</title><p>a<b>b</b><div style='Display : none'>h<p>h</div>c<td>d"
        "<script>s</script><!-- r --><p hidden>h<p>e</body></html>f"
    )
    assert html_words(html).split() == ["ab", "c", "d", "e", "f"]


def test_reference_keeps_elements_of_xml_apart() -> None:
    assert xml_words("<?xml version='1.0'?><a><b>1</b><c>2<!-- r --></c></a>").split() == ["1", "2"]
