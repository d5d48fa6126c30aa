"""Words of documents: what is indexed, against lxml's trees read by a browser's rules.

Both sides become terms as Elasticsearch makes them, and the two sequences must be equal: no term
lost, none too many, none glued to its neighbour, none cut.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lxml import etree
from msgspec import Struct

from edgar_search.edgar.submission import Document, parse_submission
from edgar_search.text.document_text import searchable_text, searched_kind
from edgar_search.text.forms import FormText, form_text
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import normalise, tokens
from tests.fidelity.comparison import content
from tests.fidelity.document_lines import read_documents
from tests.fidelity.levels import END, level, read_levels

# Elements that a browser puts on lines or in cells of their own: HTML, "Rendering".
_APART = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hr html legend "
    "li listing main menu nav ol optgroup option p plaintext pre search section select summary "
    "table tbody td textarea tfoot th thead title tr ul xmp "
    "page".split()  # the last is EDGAR's own: a page break
)
# Elements that a browser does not show, and the part of inline XBRL that it must not.
_UNSEEN = frozenset("title script noscript style template ix:header".split())
_DISPLAY_NONE = re.compile(r"(?:^|;)\s*display\s*:\s*none\b", re.IGNORECASE)
_EDGAR_TAG = re.compile(r"</?(PAGE|TABLE|CAPTION|S|C|FN|F\d\d?|R)>", re.IGNORECASE)


class Words(Struct):
    """Counts over documents of one kind; `differences` are by document: terms lost, terms extra.

    `continued` are sentences that continue over a page break, `joined` words over the end of a
    line.
    """

    documents: int = 0
    terms: int = 0
    lost: int = 0
    extra: int = 0
    continued: int = 0
    joined: int = 0
    differences: dict[str, tuple[list[str], list[str]]] = {}

    def add(self, name: str, indexed: list[str], expected: list[str]) -> None:
        """Compare two sequences of terms."""
        self.documents += 1
        self.terms += len(expected)
        if indexed != expected:
            lost, extra = Counter(expected) - Counter(indexed), Counter(indexed) - Counter(expected)
            self.lost += lost.total()
            self.extra += extra.total()
            self.differences[name] = (sorted(lost), sorted(extra))


def compare(corpus: Path, every: int = 1) -> dict[DocumentKind, Words]:
    """Return all searched documents of the submissions, and those of `html/`.

    Or each n-th of them.
    """
    words = {kind: Words() for kind in DocumentKind}
    for name, document in list(searched_documents(corpus))[::every]:
        kind = searched_kind(document)
        if kind is not None:
            body = decoded(document.body)
            form = form_text(body) if kind is DocumentKind.XML else None
            text = searchable_text(document) if form is None else form_values(form, body)
            indexed, filed = tokens(text or ""), tokens(normalise(_reference(kind, body)))
            if kind in (DocumentKind.PLAIN, DocumentKind.HTML) and indexed != filed:
                walk = Walk(indexed, filed)
                words[kind].continued += walk.continued
                words[kind].joined += walk.joined
                filed = walk.read
            words[kind].add(name, indexed, filed)
    return words


# Terms of a page's foot and the next one's head, and terms by which the text continues after them:
# a head may begin as the text does, so that more are looked for first.
_MOST_BETWEEN, _SURE, _SURER = 80, 3, 6


class Walk:
    """Terms as filed, `read` in the order of the text where a sentence goes over a page break.

    Two terms may be one of the text, with what is between the parts after it. What was between is
    to be in the text later, whole.
    """

    def __init__(self, indexed: list[str], filed: list[str]) -> None:
        self.read: list[str] = []
        self.continued = self.joined = 0
        self._indexed, self._filed = indexed, filed
        left: list[list[str]] = []
        at = 0
        while at < len(filed):
            here = len(self.read)
            if left and indexed[here : here + len(left[0])] == left[0]:
                self.read += left.pop(0)
            elif here < len(indexed) and indexed[here] == filed[at]:
                self.read.append(filed[at])
                at += 1
            elif (step := self._step(at, _SURER) or self._step(at, _SURE)) is not None:
                term, between, at = step
                self.read += term
                self.joined += bool(term)
                self.continued += bool(between)
                left += [between] if between else []
            else:
                break
        self.read += [term for each in left for term in each] + filed[at:]

    def _step(self, at: int, sure: int) -> tuple[list[str], list[str], int] | None:
        """Return a joined term, the terms between, and the place behind; None if there is none."""
        here, filed = len(self.read), self._filed
        wanted = self._indexed[here : here + sure]
        for behind in range(at + 1, at + 1 + _MOST_BETWEEN):
            if filed[at] + "".join(filed[behind : behind + 1]) == "".join(wanted[:1]):
                return wanted[:1], filed[at + 1 : behind], behind + 1
            rest = 0
            while (
                rest < sure and filed[behind + rest : behind + rest + 1] == wanted[rest : rest + 1]
            ):
                rest += 1
            # The rest of the paragraph may be a word, before what was between.
            if rest == sure or (rest and wanted[rest : rest + 1] == filed[at : at + 1]):
                return [], filed[at:behind], behind
            joined = filed[behind : behind + 1] + ["".join(filed[behind + 1 : behind + 3])]
            if joined == wanted[:2]:
                return [], filed[at:behind], behind
        return None


def searched_documents(corpus: Path) -> Iterator[tuple[str, Document]]:
    """Yield the documents of the submissions, and those of `html/`."""
    for path in sorted((corpus / "filings").glob("*.gz")):
        for document in parse_submission(content(path)).documents:
            yield f"{path.name} {document.sequence}", document
    for path in sorted((corpus / "html").glob("*.gz")):
        data = content(path)
        wrapped = read_documents(data.splitlines(keepends=True))
        body = wrapped[0].body if wrapped else data
        yield path.name, Document("1-1", 1, "", "", "page.htm", body, None, 0, 0, (0, len(body)))


def decoded(body: bytes) -> str:
    """UTF-8, with or without its mark, else Windows-1252."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")


def _reference(kind: DocumentKind, text: str) -> str:
    match kind:
        case DocumentKind.HTML:
            return html_words(text)
        case DocumentKind.XML:
            return xml_words(text)
        case DocumentKind.SCHEDULE:
            return "\n".join(re.sub(r"<[^>]*>", " ", line) for line in text.splitlines())
        case DocumentKind.PLAIN:
            return "\n".join(_EDGAR_TAG.sub(" ", line) for line in text.splitlines())


def form_values(form: FormText, xml: str) -> str:
    """Return the values of elements that the text of a form has, in the order of the XML.

    Attributes are left out, and what was not filed. A value is whole if its pieces are neighbours.
    """
    pieces, last = [], 0
    for start, end, source_start, source_end in sorted(form.spans(), key=lambda span: span[2]):
        if xml.rfind("<", 0, source_start) < xml.rfind(">", 0, source_start):
            pieces.append("" if source_start == last else "\n")
            pieces.append(form.text[start:end])
            last = source_end
    return "".join(pieces)


def html_words(html: str) -> str:
    """Return the text that a browser shows, its blocks and cells apart."""
    parser = etree.HTMLParser(
        huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True
    )
    # By HTML's rules text after these ends belongs to the body; libxml2 drops it.
    html = re.sub(r"</(?:html|body)\s*>", "\n", html, flags=re.IGNORECASE)
    root = etree.fromstring(html.encode("utf-8", "surrogatepass"), parser)
    pieces: list[str] = []
    unseen = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        apart = "\n" if element.tag in _APART else ""
        sign = level(element)
        if event == "start":
            unseen += 1 if unseen or is_unseen(element) else 0
            pieces.append(apart + sign + ("" if unseen else element.text or ""))
        else:
            unseen -= 1 if unseen else 0
            pieces.append((END if sign else apart) + ("" if unseen else element.tail or ""))
    return read_levels("".join(pieces))


def is_unseen(element: etree._Element) -> bool:
    """Return True if a browser does not show an element."""
    by_style = _DISPLAY_NONE.search(element.get("style", "")) is not None
    return by_style or element.tag in _UNSEEN or "hidden" in element.attrib


def xml_words(xml: str) -> str:
    """Return the text of all elements, apart from one another."""
    parser = etree.XMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(
        re.sub(r"<\?xml[^>]*\?>", "", xml).strip("\ufeff \r\n\t").encode(), parser
    )
    return "\n".join(map(str, root.itertext()))
