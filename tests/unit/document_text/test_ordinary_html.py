"""The fast way from HTML to text: the same words as the slow one, or none at all."""

import gzip
import random
from pathlib import Path

import pytest
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import parse_submission
from edgar_search.text import html as ordinary_html
from edgar_search.text.document_text import searched_kind
from edgar_search.text.html import ordinary_html_text, with_levels
from edgar_search.text.html_tags import HIDDEN
from edgar_search.text.raised import write_levels
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import normalise, tokens
from tests.unit.document_text.html_writer import HtmlWriter

EVERY = 5  # of 583 submissions, so that this takes two seconds


def slow_words(html: str) -> list[str]:
    """Return the words as the library's own walk over the tree finds them."""
    text = extract_plain_text(
        HTMLTree.parse(with_levels(html)),
        preserve_formatting=True,
        main_content=False,
        form_fields=True,
        list_bullets=False,
        alt_texts=False,
        links=False,
        skip_elements=HIDDEN,
    )
    return words(write_levels(text))


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return normalise(text).split()


def fast(html: str) -> str:
    text = ordinary_html_text(html)
    assert text is not None, html
    return normalise(text)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>moss</p><p>grows", "moss\n\ngrows"),
        ("<div>moss</div>\n <div>grows</div>", "moss\ngrows"),
        ("moss<br>grows<BR/>on<br> <br>stones", "moss\ngrows\non\n\nstones"),
        ("<table><tr><td>moss</td><th>17</th></tr>\n<tr><td>fern", "moss\t17\nfern"),
        ("<ul><li>moss<li>fern</ul>", "moss\nfern"),
        ("<ol><li>moss<li>fern</ol>", "moss\nfern"),
        ("<FONT SIZE=2>M</FONT><font size='1'>OSS</font>", "MOSS"),
        ("moss\ngrows\r\non <b>\n</b>stones", "moss grows on stones"),
        ("<p>R&amp;D &lt;moss&gt; &#8220;x&#8221;&nbsp;y", "R&D <moss> \u201cx\u201d y"),
        ("moss<!-- remark --> grows", "moss grows"),
        ("<head><title>T</title><style>p{}</style></head>moss", "moss"),
        ("<body>moss<script>f()</script><style>p{}</style> grows", "moss grows"),
        ("<table>fern<tr><td>moss</table>", "fern\nmoss"),
        ("<ix:nonNumeric name='a' contextRef=\"b\">moss</ix:nonNumeric>y", "mossy"),
        ("<unheard-of a='b'>moss</unheard-of>", "moss"),
        ("<div>moss</div><div>&nbsp;</div><div>fern</div>", "moss\n\nfern"),
        ("caf\u00e9 \u2014 \u6771\u4eac", "caf\u00e9 \u2014 \u6771\u4eac"),
        ("", ""),
    ],
)
def test_text_is(html: str, text: str) -> None:
    laid_out = fast(html)
    while "\n\n\n" in laid_out:
        laid_out = laid_out.replace("\n\n\n", "\n\n")
    assert laid_out.strip("\n") == text


@pytest.mark.parametrize(
    "html",
    [
        "<p title='a > b'>moss",
        '<p title="a < b">moss',
        "<p title=it's>moss",
        '<td a=x"y b="q>moss">fern',
        "1 < 2",
        "2 > 1",
        "<!-- <p> -->moss",
        "moss <!-- a > <p class='x'> fern < b --> grows",
        "moss <!-- a > <b --> grows",
        "moss <!-- a > <p c=--> grows",
        "moss <!--> grows",
        "moss <!--- > grows",
        "moss <> grows",
        "moss <1> grows",
        "moss \0 grows",
        "moss \v grows",
        "<p hidden>moss<p>grows",
        "<table><tr><td style='display:none'>moss<td>grows</table>",
        "<div hidden>moss <div>grows</div>",
        "<title>moss",
        "<script>if (a < b) f()</script>moss",
        "<script><script>f()</script>moss",
        "<noscript>moss</noscript>",
        "<iframe><iframe></iframe>moss</iframe>",
        "<div><figure>moss</div>grows</figure>",
        f"moss &#{'9' * 5000}; grows",
        f"<div hidden {'a ' * 10_000}>moss</div>",
        "".join(f"<div hidden a={n}>moss</div>" for n in range(101)),
        "<pre>moss\n  grows</pre>",
        "<label>moss</label>",
        "<select><option>moss</select>",
        "<svg><title>moss</title></svg>",
        "<plaintext>moss",
        "<frameset><frame></frameset>",
    ],
)
def test_what_is_not_ordinary_is_left_alone(html: str) -> None:
    assert ordinary_html_text(html) is None


@pytest.mark.parametrize(
    "html",
    [
        "<p><span hidden></p>moss</span>",
        "<p><span hidden><p>moss</span>",
        "<a><span hidden><a>moss</span>",
        "<p hidden>fern<table>moss</table></p>",
        "<ul><li><div hidden>fern<li>moss</div></ul>",
        "<div hidden><table><tr><td>fern</div>fern</table></div>moss",
        "<table><tr><td><div hidden>fern<td>moss</div></table>",
        "<div hidden><b>fern</div>moss</b></div>",
        "<section hidden><style/></section>fern",
        "<table hidden>moss</table>",
        "<td hidden>moss</td>",
        "<table><tr><td hidden></th>fern<td>moss</table>",
        "<table><tr><td hidden><table><td>fern</table><td>moss</table>",
        "<tr hidden>moss</tr>",
        "<b hidden>fern</b>moss",
        "<div><br hidden>moss</div>",
    ],
)
def test_hidden_element_without_a_sure_end_is_left_alone(html: str) -> None:
    assert ordinary_html_text(html) is None


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">fern <div>fern</div> fern</div>',
        "<span style='color:red; display: none;'>fern <span>fern</span> fern</span>",
        "<DIV STYLE='display:none'>fern</DIV>",
        "<ix:header><ix:hidden><ix:nonNumeric n='x'>fern</ix:nonNumeric></ix:hidden></ix:header>",
        "<div style='display:none'><ix:header>fern</ix:header> fern</div>",
        "<span hidden>fern</span>",
        "<table><tr><td hidden></td>\n<td style='display:none'/><td HIDDEN=''/></tr></table>",
        "<p hidden>fern <b>fern</b><br>fern</p>",
        "<div hidden><table><tr><td>fern</td></tr></table><hr>fern</div>",
        "<div hidden><ix:hidden><ix:a nil=true /><ix:b/></ix:hidden><p>fern</p></div>",
        "<div style='dis&#112;lay:none'>fern</div>",
        "<section class='x' HIDDEN=''>fern <section>fern</section> fern</section>",
        "<div hidden>fern <span hidden>fern</span> fern</div>",
        "<style><!-- fern --></style><script>fern()</script>",
        "<div style='DISPLAY : NONE'>fern</div>",
        "<title>fern</title>",
    ],
)
def test_hidden_is_no_text(hidden: str) -> None:
    html = f"<p><span>moss</span></p>{hidden}<div>gro<span>ws</span></div>"
    assert words(fast(html)) == slow_words(html) == ["moss", "grows"]


@pytest.mark.parametrize(
    "shown",
    [
        "<div title='hidden'>{}</div>",
        "<p class=hidden>{}</p>",
        "<div data-hidden>{}</div>",
        "<div title='style=display:none'>{}</div>",
        "<div style='color:red' style='display:none'>{}</div>",
        "<td style='a:&#98;'>{}</td>",
    ],
)
def test_what_only_looks_hidden_is_text(shown: str) -> None:
    html = shown.format("moss")
    assert words(fast(html)) == slow_words(html) == ["moss"]


@pytest.mark.parametrize("space", ["  ", "\t", "\n ", "\r\n"])
def test_white_space_in_a_style_hides_as_well(space: str) -> None:
    assert words(fast(f"moss<div style='display:{space}none'>fern</div>")) == ["moss"]


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("&amp;lt;", "&lt;"),
        ("&nbsp;", ""),
        ("&#8217;", "'"),
        ("&#146;", "'"),
        ("&copy", "\u00a9"),
        ("&notit;", "\u00acit;"),
        ("&unheard;", "&unheard;"),
        ("&#16;", ""),
        ("&#x41;&#66", "AB"),
        (f"&{'a' * 5000};", f"&{'a' * 5000};"),
        ("AT&T & &; &#; &#x;", "AT&T & &; &#; &#x;"),
    ],
)
def test_entity_is_its_characters(entity: str, text: str) -> None:
    assert words(fast(f"a {entity} b")) == ["a", *text.split(), "b"]


def test_declarations_and_what_is_taken_for_them_are_no_text() -> None:
    html = "moss <!doctype x> <?xml y?> <!-- a -- b --> <!----> </ z> <![CDATA[ z ]]> grows"
    assert words(fast(html)) == slow_words(html) == ["moss", "grows"]


def test_a_large_document_is_reduced_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    html = "".join(f"<p class='c{n % 7}'>moss <b>{n}</b></p>\n" for n in range(150))
    html = f"{html}<div hidden>{html}</div>\r\n{html}<div\nhidden><p>fern</p></div>{html}"
    whole = fast(html)
    assert words(whole) == slow_words(html)
    assert len(words(whole)) == 3 * 150 * 2
    for size in (1, 10, 100, 1000):
        monkeypatch.setattr(ordinary_html, "_CHUNK_BYTES", size)
        assert fast(html) == whole


def test_random_documents_have_the_words_of_the_slow_way() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    for _ in range(1500):
        html = HtmlWriter(source).page()
        # Rows join the mark of a footnote to what it stands behind.
        assert tokens(fast(html)) == tokens(" ".join(slow_words(html))), html


def test_real_documents_have_the_words_of_the_slow_way(corpus: Path) -> None:
    reduced = number = 0
    for path in sorted((corpus / "filings").glob("*.gz"))[::EVERY]:
        for document in parse_submission(gzip.decompress(path.read_bytes())).documents:
            if searched_kind(document) is not DocumentKind.HTML:
                continue
            html = decode_bytes(document.body)
            text = ordinary_html_text(html)
            number += 1
            if text is not None:
                reduced += 1
                # Rows join the parts of an amount, "$" and "17", which are no terms.
                expected = tokens(" ".join(slow_words(html)))
                assert tokens(normalise(text)) == expected, document.document_id
    assert number > 100
    assert reduced > 0.9 * number
