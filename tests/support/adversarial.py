"""Documents and submissions made to cost more than their share of time, of any size."""

from collections.abc import Callable

from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

_ENTITY = MadeUpEntity("0009990001", "MARBLE")
_NUMBER = "0009990001-21-000001"


def _repeat(begin: str, unit: str, end: str = "") -> Callable[[int], str]:
    return lambda size: begin + unit * (size // len(unit)) + end


def _number(begin: str, unit: str, end: str = "") -> Callable[[int], str]:
    """Return the unit again and again, each time with another number in the place of "@"."""

    def make(size: int) -> str:
        width = len(unit) + 4
        return begin + "".join(unit.replace("@", str(n)) for n in range(size // width)) + end

    return make


def _nest(begin: str, opening: str, middle: str, closing: str) -> Callable[[int], str]:
    def make(size: int) -> str:
        depth = size // (len(opening) + len(closing))
        return begin + opening * depth + middle + closing * depth

    return make


# Bodies of documents by what is bad about them; each function takes the size in characters.
HTML: dict[str, Callable[[int], str]] = {
    "misnested formatting": _repeat("<html><body>", "<b><i></b>x</i>"),
    "misnested formatting in paragraphs": _repeat("<html><body>", "<p><b><i><u>x</p>"),
    "formatting never closed": _repeat("<html><body><pre>", "<font color=red>x "),
    "formatting never closed, each another": _number("<html><body><pre>", "<font size=@>x "),
    "formatting never closed in paragraphs": _number("<html><body><pre>", "<p><font size=@>x</p>"),
    "links never closed": _repeat("<html><body><pre>", '<a href="x">y '),
    "links in cells": _repeat("<html><body><pre></pre><table>", "<tr><td><a><b>x</td></tr>"),
    "nobr never closed": _repeat("<html><body><pre>", "<nobr>x "),
    "paragraphs never closed": _repeat("<html><body><pre></pre>", "<p>x "),
    "divisions nested": _nest("<html><pre></pre>", "<div>", "x", "</div>"),
    "divisions never closed": _repeat("<html><pre></pre>", "<div>x "),
    "spans never closed": _repeat("<html><pre></pre>", "<span>x "),
    "tables nested": _nest("<html><pre></pre>", "<table><tr><td>", "x", "</table>"),
    "tables never closed": _repeat("<html><pre></pre>", "<table>x"),
    "text in tables": _repeat("<html><pre></pre><table>", "x<b>y<tr>"),
    "lists nested": _nest("<html><pre></pre>", "<ul><li>", "x", "</ul>"),
    "end tags of nothing": _repeat("<html><pre></pre>", "</p></b></div>x"),
    "end tags of nothing, deep": lambda size: (
        "<html><pre></pre>" + "<span>" * (size // 12) + "</b>" * (size // 8)
    ),
    "blocks in formatting": _repeat("<html><pre></pre>", "<b><p>x</b>"),
    "headings in headings": _repeat("<html><pre></pre>", "<h1><h2>x"),
    "forms": _repeat("<html><pre></pre>", "<form><input><label>x"),
    "buttons": _repeat("<html>", "<button>x"),
    "options": _repeat("<html><select>", "<option>x"),
    "frames of SVG": _repeat("<html>", "<svg><p>x"),
    "foreign elements nested": _repeat("<html><svg>", "<g><desc>x"),
    "templates": _repeat("<html>", "<template>x"),
    "hidden elements": _repeat("<html>", "<div style='display:none'>x</div>y "),
    "hidden elements nested": _nest("<html>", "<div style='display:none'>", "x", "</div>"),
    "hidden elements never closed": _repeat("<html>", "<div style='display:none'>x "),
    "hidden elements, each another": _number("<html>", "<i style='display:none' id=@>x</i>"),
    "hidden elements to the end": _repeat("<html>", "<p hidden>x</p><p hidden><b></p>"),
    "attributes": _number("<html><p ", "a@=b ", ">x"),
    "attributes repeated": _repeat("<html><p ", "a ", ">x"),
    "attributes that have no end": _repeat("<html>", '<p a="x>y '),
    "attributes that have no end, long": _repeat('<html><p a="', "x "),
    "attributes of blanks": _repeat("<html><p a", " = ", ">x"),
    "tags with no end": _repeat("<html>", "<p "),
    "brackets": _repeat("<html>", "<"),
    "brackets with slashes": _repeat("<html>", "</"),
    "brackets that close": _repeat("<html>", ">"),
    "comments never closed": _repeat("<html>", "<!-- x "),
    "comments closed once": _repeat("<html>", "<!-- x ", "-->"),
    "comments of dashes": _repeat("<html><!--", "- -", ""),
    "comments": _repeat("<html>", "<!-- x -->y "),
    "declarations": _repeat("<html>", "<!x>y<?z?>"),
    "scripts never closed": _repeat("<html>", "<script>x"),
    "scripts": _repeat("<html>", "<script>x</script>y "),
    "titles": _repeat("<html>", "<title>x</title>y "),
    "entities": _repeat("<html>", "&amp;"),
    "entities never closed": _repeat("<html>", "&a"),
    "entities of digits": _repeat("<html>&#", "1"),
    "entities, each another": _number("<html>", "&#@;"),
    "ampersands": _repeat("<html>", "&"),
    "ends of documents": _repeat("<html>", "x</html>"),
    "documents": _repeat("", "<html><body>x</body></html>"),
    "different tags": _number("<html>", "<x@>y"),
    "different tags nested": lambda size: (
        "<html><pre></pre>"
        + "".join(f"<x{n}>" for n in range(size // 18))
        + "".join(f"</x{n}>" for n in range(size // 18))
    ),
    "tags that are long": _repeat("<html><", "x", ">y"),
    "zero bytes": _repeat("<html>", "x\0"),
    "one line": _repeat("<html>", "word "),
    "one word": _repeat("<html>", "x"),
    "blanks": _repeat("<html>", " \t"),
    "line ends": _repeat("<html>x", "\n"),
    "breaks": _repeat("<html>x", "<br>"),
    "items": _repeat("<html>", "<p>Item 1. Business</p>"),
    "items in order": _number("<html>", "<p>Item 1. Business</p><p>Item 2. Properties</p>@"),
    "items in cells": _repeat("<html><table>", "<tr><td>Item 1A.</td><td>Risk</td><td>1</td></tr>"),
    "items without text": _repeat("<html>", "item 1 "),
    "items split": _repeat("<html>", "<b>I</b><b>tem</b> 1. "),
    "items behind tags": _repeat("<html>", "<b></b>" * 50 + "item 1"),
    "items behind blanks": _repeat("<html>", "&nbsp;" * 50 + "item 1"),
    "items with numbers": _repeat("<html><p>Item 1", ", 2"),
    "parts": _repeat("<html>", "<p>Part II</p>"),
    "parts behind tags": _repeat("<html>", "<p>part " + "<b> </b>" * 40 + "item 1"),
    "signatures": _repeat(
        "<html><p>Item 1. Business</p>",
        "<p>Signatures</p><p>Pursuant to the requirements of section",
    ),
    "indices of exhibits": _repeat("<html><p>Item 9.01 Financial</p>", "<p>Exhibit Index</p>"),
    "exhibits": _repeat(
        "<html><p>Item 9.01. Financial Statements and Exhibits</p>", "<p>99.1 Press"
    ),
    "pre": _repeat("<html>", "<pre>x</pre>"),
    "pre never closed": _repeat("<html>", "<pre>item 1\n"),
    "lone surrogates": _repeat("<html>", "&#xD800;x"),
}
PLAIN: dict[str, Callable[[int], str]] = {
    "contents": _repeat("", "Item 1. Business ........ 3\n"),
    "contents in order": _number("", "ITEM 7.  MANAGEMENT'S DISCUSSION ......... @\n"),
    "dot leaders": _repeat("Item 1. ", "."),
    "dot leaders with blanks": _repeat("Item 1. ", ". "),
    "dashes": _repeat("Item 1 ", "- "),
    "items plain": _repeat("", "item 1\n"),
    "items plain without lines": _repeat("", "item 1 "),
    "items after blanks": _repeat("", " " * 500 + "item 1"),
    "one line plain": _repeat("", "word "),
    "one word plain": _repeat("", "x"),
    "one word with full stops": _repeat("", "x."),
    "underscores": _repeat("", "_"),
    "blanks plain": _repeat("x", " ", "x"),
    "tabs plain": _repeat("x", "\t", "x"),
    "line ends plain": _repeat("x", "\r\n", "x"),
    "carriage returns": _repeat("x", "\r", "x"),
    "marks on one letter": _repeat("a", "\u0301\u0300\u0323"),
    "marks": _repeat("a", "a\u0301\u0300\u0323"),
    "marks many": _repeat("a", "a" + "\u0301\u0323" * 20),
    "invisible characters": _repeat("a", "\u200d"),
    "flags": _repeat("a", "\U0001f1fa"),
    "joined pictures": _repeat("a", "\u2764\u200d"),
    "hangul": _repeat("a", "\u1112\u1161"),
    "brackets plain": _repeat("a", "<"),
    "tags plain": _repeat("a", "<PAGE>\n"),
    "half tags": _repeat("a\n", "<TEXT "),
    "uuencoded beginnings": _repeat("a", "\nbegin 644 x\n"),
    "blank beginning": _repeat("", "\n", "begin"),
    "part plain": _repeat("", "PART II\n"),
    "signatures plain": _repeat(
        "Item 1. Business\n", "SIGNATURES\nPursuant to the requirements of\n"
    ),
    "exhibit index plain": _repeat("Item 9.01 Financial\n", "EXHIBIT INDEX\n"),
    "exhibit numbers": _repeat("Item 9.01 Financial Statements\n", "99.1 Press release\n"),
    "exhibit mentions": _repeat("Item 9.01 Financial Statements\n", "exhibit 99.1 "),
}
XML: dict[str, Callable[[int], str]] = {
    "namespaces": _number("<?xml version='1.0'?><a ", "xmlns:n@='u@' ", "/>"),
    "namespaces nested": lambda size: (
        "<?xml version='1.0'?>"
        + "".join(f"<a xmlns:n{n}='u'>" for n in range(size // 28))
        + "x"
        + "</a>" * (size // 28)
    ),
    "namespaces nested, broken": lambda size: (
        "<?xml version='1.0'?>" + "".join(f"<a xmlns:n{n}='u'>" for n in range(size // 28))
    ),
    "elements nested": _nest("<?xml version='1.0'?>", "<a>", "x", "</a>"),
    "elements never closed": _repeat("<?xml version='1.0'?>", "<a>x"),
    "attributes of XML": _number("<?xml version='1.0'?><a ", "a@='b' ", "/>"),
    "attributes of XML repeated": _repeat("<?xml version='1.0'?><a ", "a='b' ", "/>"),
    "elements, each another": _number("<?xml version='1.0'?><a>", "<x@>y</x@>", "</a>"),
    "entities of XML": _repeat("<?xml version='1.0'?><a>", "&amp;", "</a>"),
    "comments of XML": _repeat("<?xml version='1.0'?><a>", "<!--x-->y", "</a>"),
    "comments of XML never closed": _repeat("<?xml version='1.0'?><a>", "<!--x"),
    "CDATA": _repeat("<?xml version='1.0'?><a>", "<![CDATA[x]]>", "</a>"),
    "CDATA never closed": _repeat("<?xml version='1.0'?><a>", "<![CDATA[x"),
    "entities declared": _number("<!DOCTYPE a [", "<!ENTITY e@ 'x'>", "]><a>&e1;</a>"),
    "declarations of attributes": _number(
        "<?xml version='1.0'?><!DOCTYPE a [", "<!ATTLIST a b@ CDATA 'x'>", "]><a/>"
    ),
    "instructions": _repeat("<?xml version='1.0'?><a>", "<?x y?>", "</a>"),
    "a tag that never ends": _repeat("<?xml version='1.0'?><a", " x"),
    "a text that is long": _repeat("<?xml version='1.0'?><a>", "x ", "</a>"),
    "prolog of comments": _repeat("<?xml version='1.0'?>", "<!--x-->", "<a>y</a>"),
}


def documents() -> dict[str, tuple[str, Callable[[int], str]]]:
    """Return the documents by name, each with the name of its file."""
    found: dict[str, tuple[str, Callable[[int], str]]] = {}
    for suffix, kinds in (("htm", HTML), ("txt", PLAIN), ("xml", XML)):
        found |= {name: (f"a.{suffix}", make) for name, make in kinds.items()}
    return found


def submission(form_type: str, file_name: str, body: str) -> bytes:
    """Return a submission with this one document."""
    document = MadeUpDocument(body, form_type, file_name)
    return _as_bytes(MadeUp(_NUMBER, (_ENTITY,), (document,), form_type))


def _as_bytes(made_up: MadeUp) -> bytes:
    return txt(made_up)
