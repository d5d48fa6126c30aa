"""Finds the text below the cover or letterhead of a document; pure.

Covers of forms, addresses, contacts and labels of exhibits are alike in thousands of documents: as
a snippet they do not show what this one is about.
"""

import re

# A cover or letterhead must end within this many characters and lines, or it stays.
_LONGEST, _MOST_LINES = 4_000, 80
# If less text follows, it says no more than the letterhead.
_LEAST = 80
# The Commission's name is this near the beginning of a cover. Names and titles have at most this
# many words in a line, and together with them a letterhead makes up at least this share of the
# lines.
_NEAR, _SHORT, _MOSTLY = 600, 4, 0.7
_COVER = re.compile(r"SECURITIES\s+AND\s+EXCHANGE\s+COMMISSION", re.IGNORECASE)
_ISSUER = re.compile(r"^[^\n]*\w[^\n]*\n\s*\(Name of Issuer\)", re.IGNORECASE | re.MULTILINE)
_ITEM = re.compile(r"^\W*items?\s+\d+\.\d+\b", re.IGNORECASE | re.MULTILINE)
# Lines on the covers of forms.
_FORM = re.compile(
    r"united states|securities and exchange|washington, ?d\.? ?c|form \S+|schedule 1\S+"
    r"|(?:current|annual|quarterly|transition) report|pursuant to|(?:under |of )?the securities"
    r"|securities (?:act|registered)|title of each|trading symbol|name of each exchange"
    r"|(?:if an )?emerging growth|note: regulation s-t|report of foreign|\(?amendment no|date of"
    r"|commission file|\(mark one|indicate by check|check the appropriate|cusip|act of 19"
    r"|\((?:exact name|state or|name|title of|cusip|address|registrant|irs|zip|translation)"
    r"|\((?:commission|i\.r\.s|former|date)|registrant.s telephone|if the filing person"
    r"|the remainder of|the information required|for the month of|soliciting material"
    r"|pre-commencement|written communications|for the (?:fiscal|quarterly|transition)"
    r"|.{0,80}preceding 12 months",
    re.IGNORECASE,
)
# Labels, and lines that name a contact.
_LABEL = re.compile(
    r"exhibit\b.{0,12}$|ex-\d|\[[^\]]*\]$|(?:for )?immediate release|(?:news|press) release"
    r"|contacts?\b|(?:nasdaq|nyse|amex)\b[^.]{0,30}$|investor relations|media relations|dear\b"
    r"|to whom it may|(?:tele)?phone|fax\b|table of contents|page \d",
    re.IGNORECASE,
)
_STREETS = "Street|St|Avenue|Ave|Road|Rd|Way|Drive|Blvd|Boulevard|Parkway|Plaza|Loop|Lane|Square"
_ADDRESS = re.compile(
    r"\(?\b\d{3}\)?[ .-]+\d{3}[ .-]\d{4}\b|\S@\S|\bwww\.|\bhttps?://"
    r"|\b[A-Z][a-z]+,? (?:[A-Z]{2}|[A-Z]\.[A-Z]\.|[A-Z][a-z]+) +\d{5}\b"
    rf"|\b(?:\d{{1,6}}|One|Two) (?:[A-Z]\w*\.? ){{1,3}}(?:{_STREETS})\b"
    r"|^[A-Z]\w+(?: [A-Z]\w+)?, [A-Z][a-z]+$"
)
# A line with an address and more words is a sentence.
_MOST_OF_ADDRESS = 24
_SENTENCE = re.compile(r"\b(?:are|be|has|have|is|not|that|the|was|which|will)\b")
# A line with this many words and two of these is prose.
_LEAST_OF_PROSE = 12


def below_letterhead(text: str) -> int:
    """Return the position where a text begins to say what it is about; 0 if that is not certain.

    That is after the last line of a cover, label or address before any prose, if most lines before
    it are of these kinds, or short like names and titles.
    """
    begin = text[:_LONGEST]
    if _COVER.search(begin[:_NEAR]):
        for pattern in (_ISSUER, _ITEM):
            if match := pattern.search(begin):
                return match.start() if len(text) - match.start() >= _LEAST else 0
    start = below = lines = like = 0
    is_own = False
    while lines < _MOST_LINES and (end := begin.find("\n", start)) >= 0:
        line = begin[start:end].strip(" \t|*_-=\u2014")
        start = end + 1
        if not line:
            continue
        # A line that begins with a small letter continues the one before.
        is_own, words = _is_letterhead(line) or (is_own and line[0].islower()), line.split()
        if not is_own and len(words) >= _LEAST_OF_PROSE and len(_SENTENCE.findall(line)) > 1:
            break
        lines += 1
        like += is_own or len(words) <= _SHORT
        if is_own and like >= lines * _MOSTLY:
            below = start
    return below if len(text) - below >= _LEAST else 0


def _is_letterhead(line: str) -> bool:
    """Return True if a line belongs to a cover, is a label, or contains an address."""
    if not any(map(str.isalpha, line)) or _FORM.match(line) or _LABEL.match(line):
        return True
    return len(line.split()) <= _MOST_OF_ADDRESS and _ADDRESS.search(line) is not None
