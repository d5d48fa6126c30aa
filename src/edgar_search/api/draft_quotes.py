"""Quotes of drafts: the parts between omissions, each checked as by `/v1/quote`, in order."""

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
# How many occurrences of the first part are tried, and how many characters are near one.
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
    """Check the parts of a quote against a filing, and then against all if it lacks them.

    Without an accession number, only against all. `document_id` is the cited document of the
    filing, if any.
    """
    if not any(map(_is_sure, parts)) or max(map(len, parts)) > MAX_QUOTE:
        return Verdict("unchecked", f"a part must have {MIN_QUOTE} to {MAX_QUOTE:,} characters")
    if not accession_number:
        return await _find(context, parts, QuoteParams("", None, _ANYTHING))
    of_filing = FilingCriteria(numbers=(accession_number,))
    criteria = DocumentCriteria(None, of_filing, all_documents=True)
    in_filing = await _find(context, parts, QuoteParams("", document_id, criteria))
    if in_filing.verdict in _GOOD:
        return in_filing
    # The cited filing has nearly the same words, which must be meant; elsewhere only the same words
    # count.
    is_altered = in_filing.verdict == "altered"
    everywhere = QuoteParams("", None, _ANYTHING, nearest=not is_altered)
    anywhere = await _find(context, parts, everywhere)
    if anywhere.verdict in _GOOD:
        reason = f"{document_id or accession_number} does not have it"
        return anywhere._replace(verdict="elsewhere", reason=reason)
    return in_filing if is_altered or anywhere.at is None else anywhere


def _is_sure(part: str) -> bool:
    """Return True if a part is long enough to identify its source.

    A shorter one may occur anywhere by chance.
    """
    return len(part) >= MIN_QUOTE


async def _find(context: Context, parts: Sequence[str], within: QuoteParams) -> Verdict:
    """Check all parts of a quote against the document with its first long part.

    The verdict is the worst of all parts. If the others do not follow that part, another occurrence
    of it is tried.
    """
    first = next(number for number, part in enumerate(parts) if _is_sure(part))
    beside = [part for part in parts[first + 1 :] if _is_sure(part)]
    try:
        anchor = await check_words(context, within._replace(words=parts[first], beside=beside))
        if anchor.verdict == "absent":
            return Verdict("absent", "no document has anything like it")
        verdict = await _around(context, parts, first, anchor)
        for _ in range(_MOST_PLACES - 1):
            if verdict.verdict in _GOOD or anchor.verdict == "nearest" or anchor.start is None:
                break
            next_search = QuoteParams(parts[first], anchor.document_id, _ANYTHING, anchor.start + 1)
            anchor = await check_words(context, next_search._replace(nearest=False))
            if anchor.verdict == "absent":
                break
            other = await _around(context, parts, first, anchor)
            verdict = other if other.verdict in _GOOD else verdict
    except NotFound:
        return Verdict("absent", "its document has no text that is searched")
    return verdict


async def _around(
    context: Context, parts: Sequence[str], first: int, anchor: QuoteReply
) -> Verdict:
    """Check the parts of a quote before and after one of them that was found."""
    assert anchor.start is not None and anchor.end is not None
    worst = _verdict(parts, _OF_PARTS[anchor.verdict], "", anchor)
    end = max(0, anchor.start - _NEAR)
    for number, part in enumerate(parts):
        if number == first:
            end = anchor.end
            continue
        params = QuoteParams(part, anchor.document_id, _ANYTHING, end)
        reply = await check_words(context, params)
        verdict, reason = _OF_PARTS[reply.verdict], ""
        if verdict not in _GOOD and _is_sure(part):
            before = await check_words(context, params._replace(after=0))
            if before.verdict in _GOOD:
                verdict, reply = "altered", before
                reason = "its parts do not follow each other in the document"
        elif not _is_sure(part) and (
            reply.start is None
            or reply.end is None
            or verdict not in _GOOD
            or reply.start - end > _NEAR
            or (number < first and reply.end > anchor.start)
        ):
            verdict, reply = "altered", anchor
            reason = f"the document does not have `{part}` near the rest"
        else:
            end = reply.end or end
        if _RANKS[verdict] > _RANKS[worst.verdict]:
            worst = _verdict(parts, verdict, reason, reply)
    return worst


def _verdict(
    parts: Sequence[str], verdict: DraftVerdict, reason: str, reply: QuoteReply
) -> Verdict:
    at = None
    if reply.document_id is not None:
        at = FoundText(reply.document_id, reply.text_sha256, reply.start, reply.end, reply.text)
    return Verdict(verdict, reason, at, differs_from=parts if verdict == "altered" else ())
