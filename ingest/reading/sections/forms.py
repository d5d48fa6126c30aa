"""The items of Forms 10-K and 10-Q: their order, titles, and the beginnings of their headings.

A pattern is matched against a heading in lower case whose words are one space apart and have no
punctuation ("management s discussion"). The titles of all versions of a form since 1993 are there.
"""

import re
from typing import NamedTuple

# The beginning of a heading, and the title that it means.
Title = tuple[re.Pattern[str], str]


class Item(NamedTuple):
    """An item: its part (from 1), its number ("1A"), and its possible titles."""

    part: int
    number: str
    titles: tuple[Title, ...]


class Form(NamedTuple):
    """A form's items in order; `parts_in_ids` if two parts use the same numbers."""

    items: tuple[Item, ...]
    parts_in_ids: bool


def _title(pattern: str, title: str) -> Title:
    return re.compile(pattern), title


_BUSINESS = _title(r"(?:description of (?:the )?)?(?:our )?business\b|general\b", "Business")
_RISKS = _title(r"(?:certain )?risk factors?\b", "Risk Factors")
_COMMENTS = _title(r"unresolved", "Unresolved Staff Comments")
_CYBERSECURITY = _title(r"cyber ?security", "Cybersecurity")
_PROPERTIES = _title(r"(?:description of )?(?:our )?propert", "Properties")
_LEGAL = _title(r"(?:pending )?(?:legal|litigation)\b", "Legal Proceedings")
_VOTE = _title(
    r"(?:results of )?(?:submissions?|matters)\b",
    "Submission of Matters to a Vote of Security Holders",
)
_MINES = _title(r"mine safety", "Mine Safety Disclosures")
_RESERVED = _title(r"(?:intentionally )?(?:removed|reserved|omitted)\b", "Reserved")
_OFFICERS = _title(r"executive officers|directors", "Executive Officers of the Registrant")
_MARKET = _title(
    r"markets?\b|(?:price|common) |stock",
    "Market for Registrant's Common Equity, Related Stockholder Matters and Issuer Purchases of"
    " Equity Securities",
)
_SELECTED = _title(
    r"(?:consolidated |other )?(?:selected|summary)|(?:five|ten) year", "Selected Financial Data"
)
_DISCUSSION = _title(
    r"manag\w*(?: s)? (?:s )?(?:discussion|analysis|financial)|(?:financial|operating) review",
    "Management's Discussion and Analysis of Financial Condition and Results of Operations",
)
_MARKET_RISK = _title(
    r"(?:quantitative|qualitative|quantative)\b|(?:disclosures? )?(?:about )?market risk",
    "Quantitative and Qualitative Disclosures About Market Risk",
)
_STATEMENTS_AND_DATA = _title(
    r"(?:index (?:of|to) )?(?:consolidated )?financial|consolidated|report of independent",
    "Financial Statements and Supplementary Data",
)
_DISAGREEMENTS = _title(
    r"changes? (?:in|of)|disagreements?\b",
    "Changes in and Disagreements With Accountants on Accounting and Financial Disclosure",
)
_CONTROLS = _title(
    r"(?:disclosure )?(?:evaluation of )?(?:disclosure )?controls?\b", "Controls and Procedures"
)
_OTHER = _title(r"other (?:information|events|matters)\b", "Other Information")
_FOREIGN = _title(
    r"disclosures? regarding foreign",
    "Disclosure Regarding Foreign Jurisdictions that Prevent Inspections",
)
_DIRECTORS = _title(
    r"(?:the )?directors?\b|(?:executive )?officers|identification of directors",
    "Directors, Executive Officers and Corporate Governance",
)
_COMPENSATION = _title(
    r"(?:executive |director |management )?(?:and director )?(?:compensation|remuneration)",
    "Executive Compensation",
)
_OWNERSHIP = _title(
    r"(?:security|stock|share|beneficial) ?(?:ownership|holdings?)",
    "Security Ownership of Certain Beneficial Owners and Management and Related Stockholder"
    " Matters",
)
_RELATIONSHIPS = _title(
    r"certain (?:relationships?|transactions?|related)|(?:interest|transactions) |relationships",
    "Certain Relationships and Related Transactions, and Director Independence",
)
_FEES = _title(
    r"(?:princip\w+|independent) (?:account\w+|audit\w+)|audit fees",
    "Principal Accountant Fees and Services",
)
_SCHEDULES = _title(
    r"(?:index (?:of|to) )?(?:exhibits?\b"
    r"|(?:consolidated )?financial statements?(?: and)? (?:schedules?|and exhibits?)\b)",
    "Exhibits and Financial Statement Schedules",
)
# The one item after that of the exhibits; statements that follow it do not belong to it.
SUMMARY_TITLE = "Form 10-K Summary"
_SUMMARY = _title(r"(?:form )?10 ?k summary|summary", SUMMARY_TITLE)
_STATEMENTS = _title(
    r"(?:index (?:of|to) )?(?:unaudited |condensed |consolidated |interim )*"
    r"(?:financial (?:statements?|information)|(?:balance|statements?)\b)",
    "Financial Statements",
)
_SALES = _title(
    r"(?:unregistered|recent) sales|(?:issuer )?purchases? of|(?:issuer |share )?repurchases?",
    "Unregistered Sales of Equity Securities and Use of Proceeds",
)
_CHANGES = _title(r"changes? (?:in|of)|use of", "Changes in Securities and Use of Proceeds")
_DEFAULTS = _title(r"defaults?\b", "Defaults Upon Senior Securities")
_EXHIBITS = _title(r"(?:index (?:of|to) )?exhibits?\b", "Exhibits")

FORM_10K = Form(
    (
        Item(1, "1", (_BUSINESS,)),
        # Before 2005 the officers, who have no number, were often given one of these.
        Item(1, "1A", (_RISKS, _OFFICERS)),
        Item(1, "1B", (_COMMENTS, _OFFICERS)),
        Item(1, "1C", (_CYBERSECURITY,)),
        Item(1, "2", (_PROPERTIES,)),
        Item(1, "3", (_LEGAL,)),
        Item(1, "4", (_VOTE, _MINES, _RESERVED)),
        Item(1, "4A", (_OFFICERS,)),
        Item(2, "5", (_MARKET,)),
        Item(2, "6", (_SELECTED, _RESERVED)),
        Item(2, "7", (_DISCUSSION,)),
        Item(2, "7A", (_MARKET_RISK,)),
        Item(2, "8", (_STATEMENTS_AND_DATA,)),
        Item(2, "9", (_DISAGREEMENTS,)),
        Item(2, "9A", (_CONTROLS,)),
        Item(2, "9B", (_OTHER,)),
        Item(2, "9C", (_FOREIGN,)),
        Item(3, "10", (_DIRECTORS,)),
        Item(3, "11", (_COMPENSATION,)),
        Item(3, "12", (_OWNERSHIP,)),
        Item(3, "13", (_RELATIONSHIPS,)),
        # For some years the controls were item 14, and what is 15 now was 14 before 2003.
        Item(3, "14", (_FEES, _SCHEDULES, _CONTROLS)),
        Item(4, "15", (_SCHEDULES, _FEES, _CONTROLS)),
        Item(4, "16", (_SUMMARY, _SCHEDULES, _FEES)),
    ),
    parts_in_ids=False,
)
FORM_10Q = Form(
    (
        Item(1, "1", (_STATEMENTS,)),
        Item(1, "2", (_DISCUSSION,)),
        Item(1, "3", (_MARKET_RISK,)),
        Item(1, "4", (_CONTROLS,)),
        Item(2, "1", (_LEGAL,)),
        Item(2, "1A", (_RISKS,)),
        Item(2, "2", (_SALES, _CHANGES)),
        Item(2, "3", (_DEFAULTS,)),
        Item(2, "4", (_VOTE, _MINES, _RESERVED)),
        Item(2, "5", (_OTHER,)),
        Item(2, "6", (_EXHIBITS,)),
    ),
    parts_in_ids=True,
)

# 10-KSB and 10-QSB have the same numbers for other things, so they have no sections.
_FORM = re.compile(r"10-(?:(K)|Q)T?(?:405)?(?:/A)?")


def form_of(form_type: str) -> Form | None:
    """The items that a report of this type has, None if sections are not looked for in it."""
    match = _FORM.fullmatch(form_type)
    if match is None:
        return None
    return FORM_10K if match[1] else FORM_10Q
