"""Quotes of drafts: the parts between omissions, checked in order by the check of `/v1/quote`."""

from collections.abc import Sequence

from edgar_search.api.context import Context
from edgar_search.api.draft_claims import DraftVerdict, FoundText, Verdict
from edgar_search.api.quote import QuoteParams, QuoteReply, check_words
from edgar_search.document import quotes
from edgar_search.document.quotes import MAX_QUOTE, MIN_QUOTE
from edgar_search.errors import NotFound
from edgar_search.search.criteria import DocumentCriteria, FilingCriteria

_GOOD = ("exact", "normalised")
_ANYTHING = DocumentCriteria(None)
# How many occurrences of the first part are tried, and how many characters count as near one.
_MOST_PLACES, _NEAR = 4, 1_000
_OF_PARTS: dict[quotes.Verdict, DraftVerdict] = {
    "exact": "exact",
    "normalised": "normalised",
    "nearest": "altered",
    "absent": "absent",
}
_RANKS = {"exact": 0, "normalised": 1, "altered": 2, "elsewhere": 3, "absent": 4}


async def check_parts(
    context: Context, parts: Sequence[str], accession_number: str, document_id: str | None
) -> Verdict:
    """Check the parts of a quote against a filing, and if it lacks them against all others.

    Without an accession number against all. `document_id` is the document of the filing that is
    cited, None if none is.
    """
    if not any(map(_is_sure, parts)) or max(map(len, parts)) > MAX_QUOTE:
        return Verdict("unchecked", f"a part must have {MIN_QUOTE} to {MAX_QUOTE:,} characters")
    if not accession_number:
        return await _find(context, parts, QuoteParams("", None, _ANYTHING))
    of_filing = FilingCriteria(numbers=(accession_number,))
    criteria = DocumentCriteria(None, of_filing, all_documents=True)
    there = await _find(context, parts, QuoteParams("", document_id, criteria))
    if there.verdict in _GOOD:
        return there
    # What is nearly the same there is what is meant, so elsewhere only the same words count.
    is_altered = there.verdict == "altered"
    everywhere = QuoteParams("", None, _ANYTHING, nearest=not is_altered)
    anywhere = await _find(context, parts, everywhere)
    if anywhere.verdict in _GOOD:
        said = f"{document_id or accession_number} does not have it"
        return anywhere._replace(verdict="elsewhere", reason=said)
    return there if is_altered or anywhere.at is None else anywhere


def _is_sure(part: str) -> bool:
    """Return True if a part is long enough to be found by itself.

    A shorter one occurs anywhere by chance.
    """
    return len(part) >= MIN_QUOTE


async def _find(context: Context, parts: Sequence[str], within: QuoteParams) -> Verdict:
    """Check all parts of a quote against the document with the first long one of them.

    The verdict is the worst part's. If the others do not follow its position, another occurrence is
    tried.
    """
    first = next(number for number, part in enumerate(parts) if _is_sure(part))
    beside = [part for part in parts[first + 1 :] if _is_sure(part)]
    try:
        anchor = await check_words(context, within._replace(words=parts[first], beside=beside))
        if anchor.verdict == "absent":
            return Verdict("absent", "no document has anything like it")
        found = await _around(context, parts, first, anchor)
        for _ in range(_MOST_PLACES - 1):
            if found.verdict in _GOOD or anchor.verdict == "nearest" or anchor.start is None:
                break
            asked = QuoteParams(parts[first], anchor.document_id, _ANYTHING, anchor.start + 1)
            anchor = await check_words(context, asked._replace(nearest=False))
            if anchor.verdict == "absent":
                break
            other = await _around(context, parts, first, anchor)
            found = other if other.verdict in _GOOD else found
    except NotFound:
        return Verdict("absent", "its document has no text that is searched")
    return found


async def _around(
    context: Context, parts: Sequence[str], first: int, anchor: QuoteReply
) -> Verdict:
    """Check the parts of a quote before and after the position of one of them."""
    assert anchor.start is not None and anchor.end is not None
    worst = _verdict(parts, _OF_PARTS[anchor.verdict], "", anchor)
    end = max(0, anchor.start - _NEAR)
    for number, part in enumerate(parts):
        if number == first:
            end = anchor.end
            continue
        asked = QuoteParams(part, anchor.document_id, _ANYTHING, end)
        found = await check_words(context, asked)
        verdict, reason = _OF_PARTS[found.verdict], ""
        if verdict not in _GOOD and _is_sure(part):
            before = await check_words(context, asked._replace(after=0))
            if before.verdict in _GOOD:
                verdict, found = "altered", before
                reason = "its parts do not follow each other in the document"
        elif not _is_sure(part) and (
            found.start is None
            or found.end is None
            or verdict not in _GOOD
            or found.start - end > _NEAR
            or (number < first and found.end > anchor.start)
        ):
            verdict, found = "altered", anchor
            reason = f"the document does not have `{part}` near the rest"
        else:
            end = found.end or end
        if _RANKS[verdict] > _RANKS[worst.verdict]:
            worst = _verdict(parts, verdict, reason, found)
    return worst


def _verdict(
    parts: Sequence[str], verdict: DraftVerdict, reason: str, found: QuoteReply
) -> Verdict:
    at = None
    if found.document_id is not None:
        at = FoundText(found.document_id, found.text_sha256, found.start, found.end, found.text)
    return Verdict(verdict, reason, at, differs_from=parts if verdict == "altered" else ())
