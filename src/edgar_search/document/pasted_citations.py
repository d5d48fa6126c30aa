"""Citations that a reader pasted, in any form in which pages copy them; pure."""

import html
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn
from urllib.parse import parse_qs, urlsplit

import msgspec

from edgar_search.document.checked_citations import GivenCitation
from edgar_search.document.citations import CITED, MAX_QUOTE
from edgar_search.document.quotes import MIN_QUOTE
from edgar_search.edgar.identifiers import ACCESSION_NUMBER, DOCUMENT_ID, is_document_id
from edgar_search.errors import BadRequest
from edgar_search.text.words import normalise

# More than a copied citation has, and as much as an address holds if each character is escaped.
MOST_PASTED = 8_000
EXAMPLE = "0000320193-24-000123-1"
# Characters of what was given that a message repeats.
_SHOWN = 60

_ADDRESS = re.compile(r"(?:https?://|/(?:document|v1/text)\b)[^\s<>\"“”]+")
_OF_A_DOCUMENT = re.compile(r"/(?:document|v1/text)\b")
NAMED_DOCUMENT = re.compile(rf"(?<![\d-]){DOCUMENT_ID}(?![\d-])")
_FILING = re.compile(rf"(?<![\d-]){ACCESSION_NUMBER}(?![\d-])")
_PLACE = re.compile(r"characters\s+(\d[\d,]{0,14})\s*(?:–|-|to)\s*(\d[\d,]{0,14})")
_SHA256 = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{64}(?![0-9A-Za-z])")
_QUOTED = (re.compile("“(.*)”", re.DOTALL), re.compile('"(.*)"', re.DOTALL))
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LINK = re.compile('(?:href|cite)="([^"]*)"')
_TAG = re.compile("<[^<>]*>")
_NUMBER = re.compile("[0-9]{1,12}")
_LONGEST = {"prefix": CITED, "suffix": CITED, "quote": MAX_QUOTE}


class Pasted(NamedTuple):
    """A parsed citation; `host` is the host in its address, or ""."""

    given: GivenCitation
    host: str


def read_pasted(pasted: str) -> Pasted:
    """Parse a citation in any of its forms; BadRequest says which part is missing."""
    text = pasted.strip()
    if len(text) > MOST_PASTED:
        raise BadRequest(
            f"the citation has {len(text):,} characters; at most {MOST_PASTED:,} are read. Paste"
            " one citation, as a page of a document copies it"
        )
    text = _CONTROLS.sub(" ", text)
    if text.startswith("<"):
        text = _text_of_html(text)
    if text.startswith(("{", "[")):
        return Pasted(_complete(_of_json(text)), "")
    places = list(_ADDRESS.finditer(text))
    # A citation has the document's address at EDGAR too.
    found = next((each for each in places if _OF_A_DOCUMENT.search(each[0])), None)
    if found is None:
        words = _of_words(_ADDRESS.sub(" ", text))
        if places and not words.document_id:
            _refuse_address(places[0][0].rstrip(".,;)"))
        return Pasted(_complete(words), "")
    place = found[0].rstrip(".,;)")
    given, host = _of_address(place)
    rest = _of_words(_ADDRESS.sub(" ", text[: found.start()]))
    if given.document_id and rest.document_id not in ("", given.document_id):
        raise BadRequest(
            f"the citation names two documents: {rest.document_id}, and in its address"
            f" {given.document_id}; paste it as it was copied"
        )
    if not given.document_id and not rest.document_id:
        _refuse_address(place)
    if given.document_id:
        # The quoted words that are shown are checked, not only those in the address.
        return Pasted(_complete(given._replace(words=rest.words)), host)
    return Pasted(_complete(rest), "")


def cited_in_address(address: str) -> GivenCitation | None:
    """Return the citation in an address of a document here; None if it has no whole one."""
    try:
        return _complete(_of_address(address)[0])
    except BadRequest:
        return None


def _refuse_address(place: str) -> NoReturn:
    raise BadRequest(
        f"the address {_cut(place)} is not that of a document here; one begins with"
        f" /document/{EXAMPLE}"
    )


def _text_of_html(text: str) -> str:
    """Return the words of a citation in HTML, and after them the address of its last link."""
    places = _LINK.findall(text)
    words = " ".join(html.unescape(_TAG.sub("", text)).split())
    return words + (f" {html.unescape(places[-1])}" if places else "")


def _of_words(text: str) -> GivenCitation:
    """Return the parts of a citation in plain text."""
    document, place, sha256 = NAMED_DOCUMENT.search(text), _PLACE.search(text), _SHA256.search(text)
    quoted = next((match[1] for each in _QUOTED if (match := each.search(text))), "")
    filing = _FILING.search(text)
    if document is None and filing is not None:
        raise BadRequest(
            f"the citation names a filing, {filing[0]}, and none of its documents; add the number"
            f" of one: {filing[0]}-1 is the first"
        )
    return GivenCitation(
        document[0] if document else "",
        _whole("the first character", place[1].replace(",", "")) if place else None,
        _whole("the last character", place[2].replace(",", "")) if place else None,
        sha256[0].lower() if sha256 else "",
        words=normalise(re.sub(r"^(…|\.\.\.)|(…|\.\.\.)$", "", quoted.strip())),
    )


def _of_address(place: str) -> tuple[GivenCitation, str]:
    """The parts of a citation in an address of a document or its text, and the host it names."""
    try:
        split = urlsplit(place)
        values = parse_qs(split.query, errors="strict", max_num_fields=50)
    except ValueError:
        raise BadRequest(f"the address {_cut(place)} is cut or mistyped") from None
    one = {name: found[0] for name, found in values.items()}
    parts = split.path.split("/")
    document_id = parts[2] if parts[1:2] == ["document"] and len(parts) > 2 else ""
    start = one.get("cited")
    if split.path == "/v1/text":
        document_id, start = one.get("document_id", ""), one.get("start")
    if not is_document_id(document_id):
        return GivenCitation(""), split.netloc
    if start is None:
        raise BadRequest(
            "the address is that of a document and has no cited place; open it, go to the words,"
            " and copy what is under “Cite”"
        )
    return _of_fields({**one, "start": start, "document_id": document_id}), split.netloc


def _of_json(text: str) -> GivenCitation:
    """Return the parts of a citation in JSON, as a page copies it or `/v1/text` answers it."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise BadRequest(
            "the citation begins as JSON and does not go on so; paste the whole object, from { to }"
        ) from None
    if not isinstance(found, dict):
        raise BadRequest("the citation is JSON and no object; an object begins with {")
    if "quote" not in found and "text" in found:
        found["quote"] = found["text"]
    return _of_fields(found)


def _of_fields(found: Mapping[str, Any]) -> GivenCitation:
    for name in ("document_id", "text_sha256", *_LONGEST):
        if found.get(name) is not None and not isinstance(found[name], str):
            raise BadRequest(f"{name} must be a text, not {_cut(found[name])}")
    for name, longest in _LONGEST.items():
        if len(found.get(name) or "") > longest:
            raise BadRequest(
                f"{name} may have at most {longest:,} characters, not {len(found[name]):,}"
            )
    document_id, sha256 = found.get("document_id") or "", found.get("text_sha256") or ""
    if document_id and not is_document_id(document_id):
        raise BadRequest(f"{_cut(document_id)} is not a document id; an example is {EXAMPLE}")
    if sha256 and not _SHA256.fullmatch(sha256):
        raise BadRequest(f"text_sha256 must have 64 hexadecimal digits, not {_cut(sha256)}")
    prefix, quote, suffix = (
        normalise(found.get(name) or "") for name in ("prefix", "quote", "suffix")
    )
    start, end = _whole("start", found.get("start")), _whole("end", found.get("end"))
    if start is not None and end is None:
        length = _whole("length", found.get("length"))
        end = start + (len(quote) if length is None else length)
    return GivenCitation(document_id, start, end, sha256.lower(), prefix, quote, suffix)


def _complete(given: GivenCitation) -> GivenCitation:
    """Return the citation; BadRequest if it lacks what is needed to check it."""
    start, end = given.start, given.end
    if not given.document_id:
        _refuse("it names no document", f"a document id, such as {EXAMPLE}")
    if start is not None and end is not None and start >= end:
        _refuse(
            f"its place is from {start:,} to {end:,}", "a last character that follows the first"
        )
    if start is None and not (given.quote or given.words):
        _refuse("it has neither words nor a place", "the words in quotation marks “ ”")
    if start is None and max(len(given.quote), len(given.words)) < MIN_QUOTE:
        _refuse(
            "it has no place, and its words are too few to be found without one",
            f"at least {MIN_QUOTE} characters of the words, or “characters 1,520–1,580”",
        )
    if not given.has_words and not given.sha256:
        _refuse(
            "it has a place, and neither words nor the hash of the text",
            "the words in quotation marks “ ”, or the sha256 of the text",
        )
    return given


def _refuse(missing: str, right: str) -> NoReturn:
    raise BadRequest(f"the citation cannot be checked: {missing}; add {right}")


def _whole(name: str, value: object) -> int | None:
    """Return a whole number of at most 12 digits, None if it is absent."""
    if value is None:
        return None
    if isinstance(value, bool) or not _NUMBER.fullmatch(str(value)):
        raise BadRequest(f"{name} must be a whole number, not {_cut(value)}")
    return int(str(value))


def _cut(value: object) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
