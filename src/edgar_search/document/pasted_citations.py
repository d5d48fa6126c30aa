"""Citations that a reader has pasted, in all forms in which pages copy them; pure."""

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

# Longer than any copied citation, even in an address with every character escaped.
MOST_PASTED = 8_000
EXAMPLE = "0000320193-24-000123-1"
# Characters of the input that a message repeats.
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
    """Parse a citation in any of its forms; BadRequest names the part that is missing."""
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
        return Pasted(_complete(_parse_json(text)), "")
    addresses = list(_ADDRESS.finditer(text))
    # A citation also has the document's address at EDGAR.
    address_match = next((match for match in addresses if _OF_A_DOCUMENT.search(match[0])), None)
    if address_match is None:
        words = _parse_words(_ADDRESS.sub(" ", text))
        if addresses and not words.document_id:
            _refuse_address(addresses[0][0].rstrip(".,;)"))
        return Pasted(_complete(words), "")
    address = address_match[0].rstrip(".,;)")
    given, host = _parse_address(address)
    rest = _parse_words(_ADDRESS.sub(" ", text[: address_match.start()]))
    if given.document_id and rest.document_id not in ("", given.document_id):
        raise BadRequest(
            f"the citation names two documents: {rest.document_id}, and in its address"
            f" {given.document_id}; paste it as it was copied"
        )
    if not given.document_id and not rest.document_id:
        _refuse_address(address)
    if given.document_id:
        # The quoted words that people see are checked, not only the address.
        return Pasted(_complete(given._replace(words=rest.words)), host)
    return Pasted(_complete(rest), "")


def cited_in_address(address: str) -> GivenCitation | None:
    """Return the citation in an address of a document here; None if it is not complete."""
    try:
        return _complete(_parse_address(address)[0])
    except BadRequest:
        return None


def _refuse_address(address: str) -> NoReturn:
    raise BadRequest(
        f"the address {_cut(address)} is not that of a document here; one begins with"
        f" /document/{EXAMPLE}"
    )


def _text_of_html(text: str) -> str:
    """Return the text of a citation in HTML, followed by the address of its last link."""
    addresses = _LINK.findall(text)
    words = " ".join(html.unescape(_TAG.sub("", text)).split())
    return words + (f" {html.unescape(addresses[-1])}" if addresses else "")


def _parse_words(text: str) -> GivenCitation:
    """Parse the parts of a citation in plain text."""
    document, position, sha256 = (
        NAMED_DOCUMENT.search(text),
        _PLACE.search(text),
        _SHA256.search(text),
    )
    quoted = next((match[1] for pattern in _QUOTED if (match := pattern.search(text))), "")
    filing = _FILING.search(text)
    if document is None and filing is not None:
        raise BadRequest(
            f"the citation names a filing, {filing[0]}, and none of its documents; add the number"
            f" of one: {filing[0]}-1 is the first"
        )
    return GivenCitation(
        document[0] if document else "",
        _whole("the first character", position[1].replace(",", "")) if position else None,
        _whole("the last character", position[2].replace(",", "")) if position else None,
        sha256[0].lower() if sha256 else "",
        words=normalise(re.sub(r"^(…|\.\.\.)|(…|\.\.\.)$", "", quoted.strip())),
    )


def _parse_address(address: str) -> tuple[GivenCitation, str]:
    """Parse the citation in an address of a document or its text; return it with the host."""
    try:
        split = urlsplit(address)
        values = parse_qs(split.query, errors="strict", max_num_fields=50)
    except ValueError:
        raise BadRequest(f"the address {_cut(address)} is cut or mistyped") from None
    single = {name: found[0] for name, found in values.items()}
    parts = split.path.split("/")
    document_id = parts[2] if parts[1:2] == ["document"] and len(parts) > 2 else ""
    start = single.get("cited")
    if split.path == "/v1/text":
        document_id, start = single.get("document_id", ""), single.get("start")
    if not is_document_id(document_id):
        return GivenCitation(""), split.netloc
    if start is None:
        raise BadRequest(
            "the address is that of a document and has no cited place; open it, go to the words,"
            " and copy what is under “Cite”"
        )
    return _parse_fields({**single, "start": start, "document_id": document_id}), split.netloc


def _parse_json(text: str) -> GivenCitation:
    """Parse a citation in JSON, as a page copies it or as `/v1/text` returns it."""
    try:
        decoded = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise BadRequest(
            "the citation begins as JSON and does not go on so; paste the whole object, from { to }"
        ) from None
    if not isinstance(decoded, dict):
        raise BadRequest("the citation is JSON and no object; an object begins with {")
    if "quote" not in decoded and "text" in decoded:
        decoded["quote"] = decoded["text"]
    return _parse_fields(decoded)


def _parse_fields(fields: Mapping[str, Any]) -> GivenCitation:
    for name in ("document_id", "text_sha256", *_LONGEST):
        if fields.get(name) is not None and not isinstance(fields[name], str):
            raise BadRequest(f"{name} must be a text, not {_cut(fields[name])}")
    for name, longest in _LONGEST.items():
        if len(fields.get(name) or "") > longest:
            raise BadRequest(
                f"{name} may have at most {longest:,} characters, not {len(fields[name]):,}"
            )
    document_id, sha256 = fields.get("document_id") or "", fields.get("text_sha256") or ""
    if document_id and not is_document_id(document_id):
        raise BadRequest(f"{_cut(document_id)} is not a document id; an example is {EXAMPLE}")
    if sha256 and not _SHA256.fullmatch(sha256):
        raise BadRequest(f"text_sha256 must have 64 hexadecimal digits, not {_cut(sha256)}")
    prefix, quote, suffix = (
        normalise(fields.get(name) or "") for name in ("prefix", "quote", "suffix")
    )
    start, end = _whole("start", fields.get("start")), _whole("end", fields.get("end"))
    if start is not None and end is None:
        length = _whole("length", fields.get("length"))
        end = start + (len(quote) if length is None else length)
    return GivenCitation(document_id, start, end, sha256.lower(), prefix, quote, suffix)


def _complete(given: GivenCitation) -> GivenCitation:
    """Return the citation; BadRequest if a part is missing that the check needs."""
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
    """Return a whole number of at most 12 digits; None if it is absent."""
    if value is None:
        return None
    if isinstance(value, bool) or not _NUMBER.fullmatch(str(value)):
        raise BadRequest(f"{name} must be a whole number, not {_cut(value)}")
    return int(str(value))


def _cut(value: object) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
