"""The documents that are searched, and their texts."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgar_search.edgar.submission import Document
from edgar_search.text.document_text import searchable_text, text_version
from edgar_search.text.versions import HTML_TEXT, TEXT_VERSIONS, DocumentKind, TextVersion
from edgar_search.text.words import normalise


def document(
    data: bytes, file_name: str = "", form_type: str = "10-K", wrapper: str | None = None
) -> Document:
    return Document("1-1", 1, form_type, "", file_name, data, wrapper, 0, 0, (0, len(data)))


def text(
    body: bytes | str, file_name: str = "", form_type: str = "10-K", wrapper: str | None = None
) -> str | None:
    data = body.encode() if isinstance(body, str) else body
    return searchable_text(document(data, file_name, form_type, wrapper))


HTML = "<html><body><p>Moss grows</p><p>on stones.</p></body></html>"
INLINE = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!--made by a tool-->\n'
    '<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><body>'
    '<div style="display:none"><ix:header><ix:hidden>0009990001</ix:hidden></ix:header></div>'
    '<p>Cash was <ix:nonFraction name="a:Cash">17</ix:nonFraction> dollars.</p></body></html>'
)


@pytest.mark.parametrize("name", ["a.htm", "a.HTML", "a.txt", "", "a.xml"])
def test_html_whatever_its_name(name: str) -> None:
    assert text(HTML, name) == "Moss grows\n\non stones."


@pytest.mark.parametrize("body", [HTML.upper(), f"\n\n <!DOCTYPE html>\n{HTML}"])
def test_html_by_its_beginning(body: str) -> None:
    assert (text(body, "a.txt") or "").lower() == "moss grows\n\non stones."


def test_html_without_its_root_element() -> None:
    body = "<!-- a tool's mark -->\n<HEAD>\n<TITLE>Exhibit</TITLE>\n</HEAD>\n<P>Moss<BR>grows"
    assert text(body) == "Moss\ngrows"


@pytest.mark.parametrize("wrapper", ["XBRL", None])
@pytest.mark.parametrize("form_type", ["10-K", "EX-101.INS"])
def test_inline_xbrl(wrapper: str | None, form_type: str) -> None:
    assert text(INLINE, "a-20201231.htm", form_type, wrapper) == "Cash was 17 dollars."


@pytest.mark.parametrize(
    "attribute",
    [
        'style="display:none"',
        'style="color:red;display: none;"',
        'style="DISPLAY:NONE"',
        'STYLE="Display : None !important"',
        'style="display :none"',
        "hidden",
    ],
)
def test_hidden_is_no_text(attribute: str) -> None:
    hidden = f"<div {attribute}>hidden<div style='display:block'>inside</div> too</div>"
    assert text(f"<html>{hidden}<p>seen</p>", "a.htm") == "seen"


def test_what_is_no_text_in_html() -> None:
    body = (
        "<html><head><title>T</title><style>p {}</style><script>f()</script></head><body>"
        '<!-- remark --><img src="a.jpg" alt="picture"><a href="b.htm">link</a></body></html>'
    )
    assert text(body, "a.htm") == "link"


@pytest.mark.parametrize(
    "body",
    [
        "<html><!-- <p>seen</p>",
        "<html><!-- remark --><p>seen</p><!--",
        "<html><!-- <!-- remark --><p>seen</p>",
        "<html><head><title>report<body><p>seen",
        "<style>p {}</style><style><p>seen",
    ],
)
def test_unclosed_comment_or_title_does_not_swallow_the_document(body: str) -> None:
    assert (text(body, "a.htm") or "").endswith("seen")


@pytest.mark.parametrize(
    "body",
    [
        "<html><head><title>T</title></head><body>Moss</body></html>grows",
        "<HTML><BODY>Moss</BODY></HTML>grows</HTML>\n",
        "<html><body>Moss</body></html><html><head><title>T</title></head><body>grows",
        "<html><body>Moss</body></html><body>grows</body></html>",
        "<html><body><p>Moss<html><head><title>T</title></head><body><p>grows</body></html>",
    ],
)
def test_document_behind_or_inside_a_document(body: str) -> None:
    assert (text(body, "a.htm") or "").split() == ["Moss", "grows"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<div>Moss</div><div>grows</div>", "Moss grows"),
        ("<p>Moss<p>grows", "Moss grows"),
        ("Moss<br>grows<hr>on<h2>stones</h2>", "Moss grows on stones"),
        ("<ul><li>Moss<li>grows</ul><dl><dt>on<dd>stones</dl>", "Moss grows on stones"),
        ("<ol start=4><li>Moss<li>grows</ol>", "Moss grows"),
        ("<table><tr><td>Moss<td>grows<tr><th>on</table>stones", "Moss grows on stones"),
        ("<b>M</b>oss <font>gr</font><ix:nonNumeric>ow</ix:nonNumeric><u>s</u>", "Moss grows"),
        ("M<!-- remark -->oss gr<a name='x'></a>ows", "Moss grows"),
        ("Moss&nbsp;grows &amp;lt; AT&amp;T &#146;s", "Moss grows &lt; AT&T 's"),
        ("Moss<sup>1</sup> grow&shy;s", "Moss\u00b9 grows"),
        ("<form><label>Moss</label> <button>grows</button></form>", "Moss [ grows ]"),
        (
            "<textarea>Moss</textarea><input type=hidden value=h><select><option>on</select>",
            "[ Moss ] on",
        ),
    ],
)
def test_words_are_as_a_browser_shows_them(body: str, words: str) -> None:
    assert (text(f"<html><body>{body}</body></html>", "a.htm") or "").split() == words.split()


def test_table_cells_are_apart() -> None:
    body = "<html><table><tr><td>Cash</td><td>17</td></tr><tr><td>Debt</td></tr></table>"
    assert (text(body, "a.htm") or "").split() == ["Cash", "17", "Debt"]


def test_plain_text() -> None:
    body = "<PAGE>   2\r\n\r\n\r\n\r\n<TABLE>\r\n<S>      <C>\r\nMoss & Co   <17>\r\n</TABLE>\r\n"
    assert text(body) == "2\n\nMoss & Co   <17>"


def test_a_table_in_plain_text_keeps_its_spacing() -> None:
    body = (
        "Moss  grows.  \n<TABLE>\n<S>          <C>     <C>\n                 2020   2019\n"
        "<C>Moss......   $   1,234   (5)\n\tFern\t     7\n\n\n   ------   ----  \n"
        "</TABLE>\nand  so on\n"
    )
    assert text(body) == (
        "Moss grows.\n\n                 2020   2019\n   Moss......   $   1,234   (5)\n"
        "        Fern         7\n\n   ------   ----\n\nand so on"
    )


def test_blanks_of_a_table_in_plain_text_are_bounded() -> None:
    blanks, tabs = " " * 1_000_000, "\t" * 1_000_000
    body = f"Moss\n<TABLE>\nFern{blanks}17{tabs}2\n</TABLE>"
    assert len(text(body) or "") < 500


def test_a_tab_of_plain_text_parts_cells_of_any_line() -> None:
    assert text("\t\tTitle\nMoss\t\t17\n") == "Title\nMoss\t17"


def test_plain_text_with_bare_carriage_returns() -> None:
    assert text("Moss\rgrows\r\r\r\ron stones.\r") == "Moss\ngrows\n\non stones."


def test_plain_text_quoting_markup_later_on() -> None:
    body = "Dear Sir,\n" + "x " * 1500 + "\n<p>quoted</p>"
    assert (text(body, "a.txt") or "").endswith("<p>quoted</p>")


def test_schedule() -> None:
    body = "<TABLE> <S> <C>\n<ARTICLE> 5\n<TOTAL-ASSETS>   1,234\n</TABLE>\n"
    assert text(body, "", "EX-27.1") == "5\n1,234"


def test_windows_characters() -> None:
    assert text(b"the company\x92s caf\xe9") == "the company's café"


FORM = """<?xml version="1.0"?>
<unknownDocument kind="attribute"><!-- remark -->
    <issuerName>MOSS &amp; CO</issuerName><sold>17</sold>
    <footnote>Held by
a trust.</footnote><empty/><![CDATA[a < b]]>
</unknownDocument>"""


@pytest.mark.parametrize(
    ("name", "wrapper"), [("form.xml", "XML"), ("form.xml", None), ("", "XML"), ("a.txt", None)]
)
def test_xml_of_no_known_form(name: str, wrapper: str | None) -> None:
    assert text(FORM, name, "4", wrapper) == "MOSS & CO\n17\nHeld by a trust.\na < b"


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("<b> Moss </b><c>grows</c>", "Moss\ngrows"),
        ("Moss<c/>grows", "Moss\ngrows"),
        ("A &amp;lt; B&lt;C &quot;&apos;&gt;", "A &lt; B<C \"'>"),
        ("<b a='x > y'>Moss</b>", "Moss"),
        ("Mo<?mark here?>ss", "Moss"),
        ("Mo<!-- here -->ss", "Moss"),
        ("Mo&#115;s", "Moss"),
        ("Moss > sand", "Moss > sand"),
        ("Moss\r\ngrows\u00a0", "Moss grows"),
        ("Moss\r\n \r\ngrows\ton", "Moss\n\ngrows on"),
        ("<b>Moss</b><b>grows</b>", "Moss\ngrows"),
        ("<b><c>1</c><d>2</d></b>\n<b><c>3</c></b>", "1\n2\n\n3"),
        ("<b><c>1</c><d/></b><b n='2'><c/></b><b ><c>3</c></b >", "1\n\n3"),
        ("<b><c>1</c></b><bb><c>2</c></bb>", "1\n2"),
        ("<b><c>1</c></b>and<b><c>2</c></b>", "1\nand\n2"),
        ("<b><c><d>1</d></c><c><d>2</d></c></b><b><c/></b>", "1\n\n2"),
    ],
)
def test_xml_is_read_the_same_with_ordinary_brackets_and_others(
    element: str, expected: str
) -> None:
    body = f'<?xml version="1.0"?>\n<a>{element}</a>'
    assert text(body, "a.xml", "4") == expected
    assert text(f"{body}<!-- not ordinary -->", "a.xml", "4") == expected


def test_xml_declares_an_encoding_that_it_does_not_have() -> None:
    body = '<?xml version="1.0" encoding="UTF-8"?>\n<a>caf\xe9</a>'.encode("cp1252")
    assert text(body, "a.xml", "4") == "café"


def test_long_text_of_an_element_is_one_piece() -> None:
    assert text(f"<a>{'x' * 3_000_000}</a>", "a.xml", "4") == "x" * 3_000_000


@pytest.mark.parametrize(
    "body",
    [
        "<a><b>Moss</b><c>grows</d></a>",
        "<a><b>Moss</b><c>grows</c>",
        "<a><b>Moss</b>&nbsp;<c>grows</c></a>",
        "<a>Moss</a><a>grows</a>",
    ],
)
def test_broken_xml_keeps_its_words_apart(body: str) -> None:
    assert (text(body, "a.xml", "4") or "").split() == ["Moss", "grows"]


def test_entities_do_not_expand() -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 20))
    body = f'<!DOCTYPE a [<!ENTITY e0 "moss">{entities}]><a><b>&e19;</b><c>grows</c></a>'
    expanded = text(body, "a.xml", "4") or ""
    assert len(expanded) < 3000
    assert expanded.endswith("grows")


UUENCODED = "\nbegin 644 a.bin\n#0V%T\n`\nend\n"
SCHEMA = '<?xml version="1.0"?>\n<!-- long remark -->\n<xs:schema xmlns:xs="x"><a>1</a></xs:schema>'


@pytest.mark.parametrize(
    ("form_type", "file_name", "body"),
    [
        ("GRAPHIC", "", "anything"),
        ("ZIP", "", "anything"),
        ("EXCEL", "", "anything"),
        ("JSON", "", "{}"),
        ("10-K", "a.PDF", "anything"),
        ("EX-99", "a.jpg", "anything"),
        ("EX-99", "a.xlsx", "anything"),
        ("EX-99", "a.css", "p {}"),
        ("EX-99", "a.js", "f()"),
        ("EX-99", "", UUENCODED),
        ("EX-99", "a.txt", UUENCODED),
        ("EX-99", "a.txt", "%PDF-1.4"),
        ("XML", "R1.htm", HTML),
        ("XML", "R12.xml", "<InstanceReport><a>1</a></InstanceReport>"),
        ("XML", "FilingSummary.xml", "<FilingSummary><a>1</a></FilingSummary>"),
        ("10-K", "R2.htm", HTML),
        ("EX-101.INS", "a.xml", "<xbrl><a>1</a></xbrl>"),
        ("EX-100", "a.xml", "<unknown><a>1</a></unknown>"),
        ("EX-99", "a.xml", "<xbrli:xbrl><a>1</a></xbrli:xbrl>"),
        ("EX-99", "a.xml", "\ufeff<link:linkbase><a>1</a></link:linkbase>"),
        ("EX-99", "a.xml", SCHEMA),
        ("EX-99", "a.xsd", SCHEMA),
    ],
)
def test_listed_and_not_searched(form_type: str, file_name: str, body: str) -> None:
    assert text(body, file_name, form_type) is None


@pytest.mark.parametrize("form_type", ["EX-10.1", "EX-10", "EX-99.R1"])
def test_names_that_only_look_like_those(form_type: str) -> None:
    assert text("Moss grows.", "Report.txt", form_type) == "Moss grows."


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("", ""),
        ("\n \n", ""),
        ("<PAGE>\n", ""),
        ("<html><p></p></html>", "a.htm"),
        ("<a/>", "a.xml"),
    ],
)
def test_nothing_to_search(body: str, name: str) -> None:
    assert text(body, name) is None


PIECES = [
    "<html>", "<p>", "</p>", "<!--", "-->", "<?xml?>", "<a>", "</a>", "&amp;", "&#0;", "&#xD800;",
    "<![CDATA[", "]]>", "<PAGE>", "<TABLE>", "\r", "\n\n\n", "\0", "\u00ad", "e\u0301", "<title>",
    "<!DOCTYPE a [", "<?", "<!", "<div style='display:none'>", "begin 644 a\n",
]  # fmt: skip
BODIES = st.binary(max_size=200) | st.lists(st.sampled_from(PIECES) | st.text(max_size=4)).map(
    lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")
)


@settings(max_examples=300, database=None, print_blob=True, deadline=None)
@given(BODIES, st.sampled_from(["a.htm", "a.xml", "a.txt", "", "a.pdf"]))
def test_any_bytes(body: bytes, name: str) -> None:
    found = text(body, name)
    if found is not None:
        if b"<table>" in body.lower():  # a table of plain text has its blanks as filed
            assert found.split() == normalise(found).split() != []
        else:
            assert found == normalise(found).strip("\n") != ""
        assert "\n\n\n" not in found and "\0" not in found
        assert found.encode().decode() == found


def test_the_service_starts_without_the_readers_of_documents() -> None:
    code = (
        "import sys, edgar_search.app, edgar_search.text.versions\n"
        "readers = {'resiliparse', 'edgar_search.text.document_text', 'edgar_search.text.html'}\n"
        "sys.exit(str(readers & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "set()\n"


def test_each_kind_has_a_version() -> None:
    page = text_version(document(b"<html><p>Words</p></html>"))
    assert page == TextVersion(DocumentKind.HTML, HTML_TEXT)
    assert set(TEXT_VERSIONS) == set(DocumentKind)
    assert text_version(document(b"%PDF-1.4")) is None
