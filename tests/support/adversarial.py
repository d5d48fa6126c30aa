"""Documents and submissions made to cost more than their share of time, of any size."""

from collections.abc import Callable

from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

_ENTITY = MadeUpEntity("0009990001", "MARBLE")
_NUMBER = "0009990001-21-000001"


def _repeated(begin: str, unit: str, end: str = "") -> Callable[[int], str]:
    return lambda size: begin + unit * (size // len(unit)) + end


def _numbered(begin: str, unit: str, end: str = "") -> Callable[[int], str]:
    """The unit again and again, each time with another number in the place of "@"."""

    def make(size: int) -> str:
        width = len(unit) + 4
        return begin + "".join(unit.replace("@", str(n)) for n in range(size // width)) + end

    return make


def _nested(begin: str, opening: str, middle: str, closing: str) -> Callable[[int], str]:
    def make(size: int) -> str:
        depth = size // (len(opening) + len(closing))
        return begin + opening * depth + middle + closing * depth

    return make


# Bodies of documents by what is bad about them; each function takes the size in characters.
HTML: dict[str, Callable[[int], str]] = {
    "misnested formatting": _repeated("<html><body>", "<b><i></b>x</i>"),
    "misnested formatting in paragraphs": _repeated("<html><body>", "<p><b><i><u>x</p>"),
    "formatting never closed": _repeated("<html><body><pre>", "<font color=red>x "),
    "formatting never closed, each another": _numbered("<html><body><pre>", "<font size=@>x "),
    "formatting never closed in paragraphs": _numbered(
        "<html><body><pre>", "<p><font size=@>x</p>"
    ),
    "links never closed": _repeated("<html><body><pre>", '<a href="x">y '),
    "links in cells": _repeated("<html><body><pre></pre><table>", "<tr><td><a><b>x</td></tr>"),
    "nobr never closed": _repeated("<html><body><pre>", "<nobr>x "),
    "paragraphs never closed": _repeated("<html><body><pre></pre>", "<p>x "),
    "divisions nested": _nested("<html><pre></pre>", "<div>", "x", "</div>"),
    "divisions never closed": _repeated("<html><pre></pre>", "<div>x "),
    "spans never closed": _repeated("<html><pre></pre>", "<span>x "),
    "tables nested": _nested("<html><pre></pre>", "<table><tr><td>", "x", "</table>"),
    "tables never closed": _repeated("<html><pre></pre>", "<table>x"),
    "text in tables": _repeated("<html><pre></pre><table>", "x<b>y<tr>"),
    "lists nested": _nested("<html><pre></pre>", "<ul><li>", "x", "</ul>"),
    "end tags of nothing": _repeated("<html><pre></pre>", "</p></b></div>x"),
    "end tags of nothing, deep": lambda size: (
        "<html><pre></pre>" + "<span>" * (size // 12) + "</b>" * (size // 8)
    ),
    "blocks in formatting": _repeated("<html><pre></pre>", "<b><p>x</b>"),
    "headings in headings": _repeated("<html><pre></pre>", "<h1><h2>x"),
    "forms": _repeated("<html><pre></pre>", "<form><input><label>x"),
    "buttons": _repeated("<html>", "<button>x"),
    "options": _repeated("<html><select>", "<option>x"),
    "frames of SVG": _repeated("<html>", "<svg><p>x"),
    "foreign elements nested": _repeated("<html><svg>", "<g><desc>x"),
    "templates": _repeated("<html>", "<template>x"),
    "hidden elements": _repeated("<html>", "<div style='display:none'>x</div>y "),
    "hidden elements nested": _nested("<html>", "<div style='display:none'>", "x", "</div>"),
    "hidden elements never closed": _repeated("<html>", "<div style='display:none'>x "),
    "hidden elements, each another": _numbered("<html>", "<i style='display:none' id=@>x</i>"),
    "hidden elements to the end": _repeated("<html>", "<p hidden>x</p><p hidden><b></p>"),
    "attributes": _numbered("<html><p ", "a@=b ", ">x"),
    "attributes repeated": _repeated("<html><p ", "a ", ">x"),
    "attributes that have no end": _repeated("<html>", '<p a="x>y '),
    "attributes that have no end, long": _repeated('<html><p a="', "x "),
    "attributes of blanks": _repeated("<html><p a", " = ", ">x"),
    "tags with no end": _repeated("<html>", "<p "),
    "brackets": _repeated("<html>", "<"),
    "brackets with slashes": _repeated("<html>", "</"),
    "brackets that close": _repeated("<html>", ">"),
    "comments never closed": _repeated("<html>", "<!-- x "),
    "comments closed once": _repeated("<html>", "<!-- x ", "-->"),
    "comments of dashes": _repeated("<html><!--", "- -", ""),
    "comments": _repeated("<html>", "<!-- x -->y "),
    "declarations": _repeated("<html>", "<!x>y<?z?>"),
    "scripts never closed": _repeated("<html>", "<script>x"),
    "scripts": _repeated("<html>", "<script>x</script>y "),
    "titles": _repeated("<html>", "<title>x</title>y "),
    "entities": _repeated("<html>", "&amp;"),
    "entities never closed": _repeated("<html>", "&a"),
    "entities of digits": _repeated("<html>&#", "1"),
    "entities, each another": _numbered("<html>", "&#@;"),
    "ampersands": _repeated("<html>", "&"),
    "ends of documents": _repeated("<html>", "x</html>"),
    "documents": _repeated("", "<html><body>x</body></html>"),
    "different tags": _numbered("<html>", "<x@>y"),
    "different tags nested": lambda size: (
        "<html><pre></pre>"
        + "".join(f"<x{n}>" for n in range(size // 18))
        + "".join(f"</x{n}>" for n in range(size // 18))
    ),
    "tags that are long": _repeated("<html><", "x", ">y"),
    "zero bytes": _repeated("<html>", "x\0"),
    "one line": _repeated("<html>", "word "),
    "one word": _repeated("<html>", "x"),
    "blanks": _repeated("<html>", " \t"),
    "line ends": _repeated("<html>x", "\n"),
    "breaks": _repeated("<html>x", "<br>"),
    "items": _repeated("<html>", "<p>Item 1. Business</p>"),
    "items in order": _numbered("<html>", "<p>Item 1. Business</p><p>Item 2. Properties</p>@"),
    "items in cells": _repeated(
        "<html><table>", "<tr><td>Item 1A.</td><td>Risk</td><td>1</td></tr>"
    ),
    "items without text": _repeated("<html>", "item 1 "),
    "items split": _repeated("<html>", "<b>I</b><b>tem</b> 1. "),
    "items behind tags": _repeated("<html>", "<b></b>" * 50 + "item 1"),
    "items behind blanks": _repeated("<html>", "&nbsp;" * 50 + "item 1"),
    "items with numbers": _repeated("<html><p>Item 1", ", 2"),
    "parts": _repeated("<html>", "<p>Part II</p>"),
    "parts behind tags": _repeated("<html>", "<p>part " + "<b> </b>" * 40 + "item 1"),
    "signatures": _repeated(
        "<html><p>Item 1. Business</p>",
        "<p>Signatures</p><p>Pursuant to the requirements of section",
    ),
    "indices of exhibits": _repeated("<html><p>Item 9.01 Financial</p>", "<p>Exhibit Index</p>"),
    "exhibits": _repeated(
        "<html><p>Item 9.01. Financial Statements and Exhibits</p>", "<p>99.1 Press"
    ),
    "pre": _repeated("<html>", "<pre>x</pre>"),
    "pre never closed": _repeated("<html>", "<pre>item 1\n"),
    "lone surrogates": _repeated("<html>", "&#xD800;x"),
}
PLAIN: dict[str, Callable[[int], str]] = {
    "contents": _repeated("", "Item 1. Business ........ 3\n"),
    "contents in order": _numbered("", "ITEM 7.  MANAGEMENT'S DISCUSSION ......... @\n"),
    "dot leaders": _repeated("Item 1. ", "."),
    "dot leaders with blanks": _repeated("Item 1. ", ". "),
    "dashes": _repeated("Item 1 ", "- "),
    "items plain": _repeated("", "item 1\n"),
    "items plain without lines": _repeated("", "item 1 "),
    "items after blanks": _repeated("", " " * 500 + "item 1"),
    "one line plain": _repeated("", "word "),
    "one word plain": _repeated("", "x"),
    "one word with full stops": _repeated("", "x."),
    "underscores": _repeated("", "_"),
    "blanks plain": _repeated("x", " ", "x"),
    "tabs plain": _repeated("x", "\t", "x"),
    "line ends plain": _repeated("x", "\r\n", "x"),
    "carriage returns": _repeated("x", "\r", "x"),
    "marks on one letter": _repeated("a", "\u0301\u0300\u0323"),
    "marks": _repeated("a", "a\u0301\u0300\u0323"),
    "marks many": _repeated("a", "a" + "\u0301\u0323" * 20),
    "invisible characters": _repeated("a", "\u200d"),
    "flags": _repeated("a", "\U0001f1fa"),
    "joined pictures": _repeated("a", "\u2764\u200d"),
    "hangul": _repeated("a", "\u1112\u1161"),
    "brackets plain": _repeated("a", "<"),
    "tags plain": _repeated("a", "<PAGE>\n"),
    "half tags": _repeated("a\n", "<TEXT "),
    "uuencoded beginnings": _repeated("a", "\nbegin 644 x\n"),
    "blank beginning": _repeated("", "\n", "begin"),
    "part plain": _repeated("", "PART II\n"),
    "signatures plain": _repeated(
        "Item 1. Business\n", "SIGNATURES\nPursuant to the requirements of\n"
    ),
    "exhibit index plain": _repeated("Item 9.01 Financial\n", "EXHIBIT INDEX\n"),
    "exhibit numbers": _repeated("Item 9.01 Financial Statements\n", "99.1 Press release\n"),
    "exhibit mentions": _repeated("Item 9.01 Financial Statements\n", "exhibit 99.1 "),
}
XML: dict[str, Callable[[int], str]] = {
    "namespaces": _numbered("<?xml version='1.0'?><a ", "xmlns:n@='u@' ", "/>"),
    "namespaces nested": lambda size: (
        "<?xml version='1.0'?>"
        + "".join(f"<a xmlns:n{n}='u'>" for n in range(size // 28))
        + "x"
        + "</a>" * (size // 28)
    ),
    "namespaces nested, broken": lambda size: (
        "<?xml version='1.0'?>" + "".join(f"<a xmlns:n{n}='u'>" for n in range(size // 28))
    ),
    "elements nested": _nested("<?xml version='1.0'?>", "<a>", "x", "</a>"),
    "elements never closed": _repeated("<?xml version='1.0'?>", "<a>x"),
    "attributes of XML": _numbered("<?xml version='1.0'?><a ", "a@='b' ", "/>"),
    "attributes of XML repeated": _repeated("<?xml version='1.0'?><a ", "a='b' ", "/>"),
    "elements, each another": _numbered("<?xml version='1.0'?><a>", "<x@>y</x@>", "</a>"),
    "entities of XML": _repeated("<?xml version='1.0'?><a>", "&amp;", "</a>"),
    "comments of XML": _repeated("<?xml version='1.0'?><a>", "<!--x-->y", "</a>"),
    "comments of XML never closed": _repeated("<?xml version='1.0'?><a>", "<!--x"),
    "CDATA": _repeated("<?xml version='1.0'?><a>", "<![CDATA[x]]>", "</a>"),
    "CDATA never closed": _repeated("<?xml version='1.0'?><a>", "<![CDATA[x"),
    "entities declared": _numbered("<!DOCTYPE a [", "<!ENTITY e@ 'x'>", "]><a>&e1;</a>"),
    "declarations of attributes": _numbered(
        "<?xml version='1.0'?><!DOCTYPE a [", "<!ATTLIST a b@ CDATA 'x'>", "]><a/>"
    ),
    "instructions": _repeated("<?xml version='1.0'?><a>", "<?x y?>", "</a>"),
    "a tag that never ends": _repeated("<?xml version='1.0'?><a", " x"),
    "a text that is long": _repeated("<?xml version='1.0'?><a>", "x ", "</a>"),
    "prolog of comments": _repeated("<?xml version='1.0'?>", "<!--x-->", "<a>y</a>"),
}


def documents() -> dict[str, tuple[str, Callable[[int], str]]]:
    """The documents by name, each with the name of its file."""
    found: dict[str, tuple[str, Callable[[int], str]]] = {}
    for suffix, kinds in (("htm", HTML), ("txt", PLAIN), ("xml", XML)):
        found |= {name: (f"a.{suffix}", make) for name, make in kinds.items()}
    return found


def submission(form_type: str, file_name: str, body: str) -> bytes:
    """A submission with this one document."""
    document = MadeUpDocument(body, form_type, file_name)
    return _as_bytes(MadeUp(_NUMBER, (_ENTITY,), (document,), form_type))


def _as_bytes(made_up: MadeUp) -> bytes:
    return txt(made_up)
