"""Word documents: paragraphs, footnotes, revisions; broken, hostile and endless ones."""

import zipfile
from io import BytesIO

import pytest

from edgar_search.text.word_documents import MOST_BYTES, NotWord, is_word, word_text

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
NOTES = (
    f'<w:footnotes {W}><w:footnote w:id="2"><w:p><w:r><w:t>See 0009990101-25-000004</w:t></w:r>'
    "</w:p></w:footnote></w:footnotes>"
)
BODY = (
    '<w:p><w:r><w:t xml:space="preserve">It burned “for </w:t></w:r><w:r><w:t>38 days”</w:t></w:r>'
    '<w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>no</w:delText></w:r></w:del>'
    '<w:r><w:t>.</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="Quote"/></w:pPr><w:r><w:t>Clay</w:t>'
    "<w:tab/><w:t>is dug.</w:t></w:r></w:p>"
)


def docx(body: str, notes: str = NOTES, before: str = "") -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        text = f"{before}<w:document {W}><w:body>{body}</w:body></w:document>"
        file.writestr("word/document.xml", text)
        if notes:
            file.writestr("word/footnotes.xml", notes)
    return made.getvalue()


def test_paragraphs_have_their_footnotes_where_they_are_cited_and_no_deleted_words() -> None:
    data = docx(BODY)
    assert is_word(data)
    assert word_text(data, 1_000) == (
        "It burned “for 38 days” (See 0009990101-25-000004).\n\n> Clay\tis dug."
    )


def test_a_document_that_unpacks_to_much_more_is_refused_or_read_to_the_longest_draft() -> None:
    bomb = docx("<w:x/>" * (MOST_BYTES // 6 + 1))
    assert len(bomb) < MOST_BYTES / 100
    with pytest.raises(NotWord, match=r"more than 20,000,000 bytes of XML"):
        word_text(bomb, 1_000)
    endless = docx("<w:p><w:r><w:t>clay</w:t></w:r></w:p>" * 500_000)
    assert 1_000 < len(word_text(endless, 1_000)) < 100_000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (docx("")[:100], "broken or encrypted zip"),
        (docx("<w:p>"), "not XML"),
        (docx("", before='<!DOCTYPE d [<!ENTITY a "aaaa">]>'), "declares a document type"),
        (b"PK\x03\x04" + bytes(range(256)) * 40, "broken or encrypted zip"),
    ],
)
def test_broken_and_hostile_documents_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(NotWord, match=reason):
        word_text(data, 1_000)


def test_another_zip_is_refused() -> None:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("a.txt", "clay")
    with pytest.raises(NotWord, match="without the text of a Word document"):
        word_text(made.getvalue(), 1_000)
