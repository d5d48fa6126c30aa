"""Header fields and document lists: the parser against the second reader."""

import html
import re
from pathlib import Path

from edgar_search.edgar import document
from edgar_search.edgar.header import Header, parse_header
from edgar_search.edgar.submission import Submission, parse_submission
from edgar_search.errors import MalformedSubmission
from tests.fidelity.comparison import Comparison, content, files
from tests.fidelity.document_lines import read_documents, read_lines, text_lines
from tests.fidelity.header_lines import Facts
from tests.fidelity.header_lines import header_facts as lines_facts
from tests.fidelity.parser_facts import document_facts, header_facts, submission_facts
from tests.unit.submissions.made_up import submission as made_up

# What the archive's text files write in other words than the daily feed, or not at all.
_SPELLED_OTHERWISE = re.compile(r"item|entity.*\.(industry|act|role)$|accepted|document.*\.size$")


def filings(corpus: Path) -> Comparison:
    """Return all submissions, header and documents."""
    comparison = Comparison()
    for name, data in files(corpus / "filings"):
        comparison.add(name, submission_facts(parse_submission(data)), read_lines(data).facts)
    return comparison


def bodies(corpus: Path) -> Comparison:
    """Return the documents' bytes, those of uuencoded ones decoded; counted by document."""
    comparison = Comparison()
    for name, data in files(corpus / "filings"):
        own = {str(n): _digest(d) for n, d in enumerate(_decoded(parse_submission(data)))}
        lines = {str(n): _digest(d) for n, d in enumerate(read_lines(data).bodies)}
        comparison.add(name, own, lines)
    return comparison


def headers(corpus: Path) -> Comparison:
    """Return headers alone; those of index pages hold the header in each dialect."""
    comparison = Comparison()
    for name, data in files(corpus / "headers"):
        for number, header in enumerate(_headers(name, data)):
            facts = lines_facts(text_lines([header]))
            comparison.add(f"{name}#{number}", header_facts(parse_header(header)), facts)
    return comparison


def dialects(corpus: Path) -> Comparison:
    """Return headers that are there in both dialects, the parser against itself."""
    comparison = Comparison()
    seen: dict[tuple[str, bool], Header] = {}
    for name, data in files(corpus / "headers"):
        for header in _headers(name, data):
            seen[(name[:20], b"<ACCESSION-NUMBER>" in header)] = parse_header(header)
    for path in sorted((corpus / "filings").iterdir()):
        variants = {(path.name[:20], tagged) for tagged in (True, False)}
        if ".nc." in path.name or variants & seen.keys():
            for each in sorted((corpus / "filings").glob(f"{path.name[:20]}.*")):
                parsed = parse_submission(content(each))
                seen[(path.name[:20], parsed.variant == "nc")] = parsed.header
    for accession in sorted({accession for accession, _ in seen}):
        if (accession, True) in seen and (accession, False) in seen:
            tagged, labels = (_common(seen[(accession, each)]) for each in (True, False))
            comparison.add(accession, tagged, labels)
    return comparison


def wrapped(corpus: Path) -> Comparison:
    """Single documents that still have their wrapper, in an envelope made up around them."""
    comparison = Comparison()
    head, end, _ = made_up().rpartition(b"</SEC-DOCUMENT>")
    for name, data in files(corpus / "html"):
        if data.lstrip().startswith(b"<DOCUMENT>"):
            comparison.add(name, _wrapped_facts(head + data + b"\n" + end), _lines_of(data))
    return comparison


def _wrapped_facts(data: bytes) -> Facts:
    try:
        documents = parse_submission(data).documents
    except MalformedSubmission as error:
        return {"refused": str(error)}
    return {
        name: value
        for number, each in enumerate(documents)
        for name, value in document_facts(each, str(number)).items()
    }


def _lines_of(data: bytes) -> Facts:
    return {
        f"{number}.{name}": value
        for number, each in enumerate(read_documents(data.splitlines(keepends=True)))
        for name, value in each.facts.items()
        if value
    }


def _headers(name: str, data: bytes) -> list[bytes]:
    if not name.endswith(".html"):
        return [data]
    page, _, _ = data.decode("latin-1").partition("&lt;DOCUMENT&gt;")
    found = re.findall(r"<!--(.*?)-->|<PRE>(.*)", page, re.DOTALL)
    return [html.unescape(comment or shown).encode("latin-1") for comment, shown in found]


def _common(header: Header) -> Facts:
    facts = header_facts(header)
    return {name: value for name, value in facts.items() if not _SPELLED_OTHERWISE.match(name)}


def _decoded(parsed: Submission) -> list[bytes]:
    return [
        document.decode(each.body) if document.is_uuencoded(each.body) else each.body
        for each in parsed.documents
    ]


def _digest(body: bytes) -> str:
    return str(hash(body))
