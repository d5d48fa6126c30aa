"""The items of Forms 8-K, 10-K, 10-Q, 10-KSB, 10-QSB, 20-F and S-1: numbers, order and names.

A pattern is matched against a name or heading in lower case, with single spaces and no punctuation
("management s discussion"). It also covers earlier names.

Form 8-K has had two numberings: 1 to 12, and since 23 August 2004 1.01 to 9.01. An item has its
name on today's form; 10-K and 10-Q have the titles of all versions since 1993.
"""

import re
from datetime import date
from typing import NamedTuple

_RENUMBERED = date(2004, 8, 23)
_WORD = re.compile("[a-z0-9]+")


class EightKItem(NamedTuple):
    """An item of Form 8-K: its number ("2.02"), its name, and the names in headings and headers."""

    number: str
    name: str
    pattern: re.Pattern[str]


def _eight_k_items(rows: tuple[tuple[str, str, str], ...]) -> tuple[EightKItem, ...]:
    return tuple(EightKItem(number, name, re.compile(pattern)) for number, name, pattern in rows)


EIGHT_K_ITEMS = _eight_k_items(
    (
        ("1.01", "Entry into a Material Definitive Agreement", "entry into"),
        ("1.02", "Termination of a Material Definitive Agreement", "terminat"),
        ("1.03", "Bankruptcy or Receivership", "bankruptcy"),
        (
            "1.04",
            "Mine Safety - Reporting of Shutdowns and Patterns of Violations",
            "mine safety",
        ),
        ("1.05", "Material Cybersecurity Incidents", "material cybersecurity"),
        (
            "2.01",
            "Completion of Acquisition or Disposition of Assets",
            "(?:completion of )?(?:the )?(?:acquisition|disposition)",
        ),
        (
            "2.02",
            "Results of Operations and Financial Condition",
            "results? of operations?|(?:disclosure of )?results",
        ),
        (
            "2.03",
            "Creation of a Direct Financial Obligation or an Obligation under an Off-Balance Sheet"
            " Arrangement of a Registrant",
            "creation of",
        ),
        (
            "2.04",
            "Triggering Events That Accelerate or Increase a Direct Financial Obligation or an"
            " Obligation under an Off-Balance Sheet Arrangement",
            "triggering",
        ),
        ("2.05", "Costs Associated with Exit or Disposal Activities", "costs? associated"),
        ("2.06", "Material Impairments", "material impairments?"),
        (
            "3.01",
            "Notice of Delisting or Failure to Satisfy a Continued Listing Rule or Standard;"
            " Transfer of Listing",
            "notice of delisting",
        ),
        ("3.02", "Unregistered Sales of Equity Securities", "unregistered"),
        ("3.03", "Material Modification to Rights of Security Holders", "material modification"),
        (
            "4.01",
            "Changes in Registrant's Certifying Accountant",
            r"changes? in (?:the )?(?:registrants?|companys?)(?: s)? (?:certifying|independent)",
        ),
        (
            "4.02",
            "Non-Reliance on Previously Issued Financial Statements or a Related Audit Report or"
            " Completed Interim Review",
            "non ?reliance",
        ),
        ("5.01", "Changes in Control of Registrant", "changes? in control"),
        (
            "5.02",
            "Departure of Directors or Certain Officers; Election of Directors; Appointment of"
            " Certain Officers; Compensatory Arrangements of Certain Officers",
            "(?:departure|election|appointment|resignation)s? of|compensatory",
        ),
        (
            "5.03",
            "Amendments to Articles of Incorporation or Bylaws; Change in Fiscal Year",
            "amendments? (?:to|of) (?:the )?(?:articles|certificate|by)|change in fiscal",
        ),
        (
            "5.04",
            "Temporary Suspension of Trading Under Registrant's Employee Benefit Plans",
            "temporary suspension",
        ),
        (
            "5.05",
            "Amendments to the Registrant's Code of Ethics, or Waiver of a Provision of the Code of"
            " Ethics",
            r"amendments? (?:to|of) (?:the )?(?:registrants?(?: s)? )?code",
        ),
        ("5.06", "Change in Shell Company Status", "change in shell"),
        (
            "5.07",
            "Submission of Matters to a Vote of Security Holders",
            "submission of matters",
        ),
        ("5.08", "Shareholder Director Nominations", "shareholder (?:director )?nominations?"),
        ("6.01", "ABS Informational and Computational Material", "abs informational"),
        ("6.02", "Change of Servicer or Trustee", "change (?:of|in) servicer"),
        (
            "6.03",
            "Change in Credit Enhancement or Other External Support",
            "change in credit",
        ),
        ("6.04", "Failure to Make a Required Distribution", "failure to make"),
        ("6.05", "Securities Act Updating Disclosure", "securities act updating"),
        ("6.06", "Static Pool", "static pool"),
        ("7.01", "Regulation FD Disclosure", r"(?:reg(?:ulation)? ?)?fd\b"),
        ("8.01", "Other Events", "other (?:events?|information|matters)"),
        ("9.01", "Financial Statements and Exhibits", "financial statements?|exhibits?"),
    )
)
OLD_EIGHT_K_ITEMS = _eight_k_items(
    (
        ("1", "Changes in Control of Registrant", "changes? (?:in|of) control"),
        (
            "2",
            "Acquisition or Disposition of Assets",
            "(?:completion of )?(?:acquisition|disposition)",
        ),
        ("3", "Bankruptcy or Receivership", "bankruptcy"),
        (
            "4",
            "Changes in Registrant's Certifying Accountant",
            r"changes? in (?:the )?(?:registrants?|companys?|certifying|independent|accountants?)"
            "(?! s fiscal)",
        ),
        ("5", "Other Events", "other (?:events?|information|matters|materially)"),
        (
            "6",
            "Resignations of Registrant's Directors",
            r"resignations? of (?:the )?(?:registrant|company|director)",
        ),
        (
            "7",
            "Financial Statements and Exhibits",
            r"financial statements?|exhibits?|financial information",
        ),
        ("8", "Change in Fiscal Year", "changes? in (?:the )?(?:registrants? )?(?:s )?fiscal"),
        (
            "9",
            "Regulation FD Disclosure",
            r"reg(?:ulation)? ?fd|sales of equity securities",
        ),
        (
            "10",
            "Amendments to the Registrant's Code of Ethics, or Waiver of a Provision of the Code of"
            " Ethics",
            r"amendments? to (?:the )?(?:registrants?(?: s)? )?code",
        ),
        (
            "11",
            "Temporary Suspension of Trading Under Registrant's Employee Benefit Plans",
            "temporary suspension",
        ),
        (
            "12",
            "Results of Operations and Financial Condition",
            "results? of operations?|disclosure of results",
        ),
    )
)


def eight_k_items_on(filing_date: date) -> tuple[EightKItem, ...]:
    """Return the items that the form had on a day."""
    return EIGHT_K_ITEMS if filing_date >= _RENUMBERED else OLD_EIGHT_K_ITEMS


def eight_k_item_named(text: str, filing_date: date) -> EightKItem | None:
    """Return the 8-K item that a line of a header names, by its number or by EDGAR's name."""
    number, words = text.strip(), plain_words(text)
    on_day = eight_k_items_on(filing_date)
    for items in (on_day, OLD_EIGHT_K_ITEMS if on_day is EIGHT_K_ITEMS else EIGHT_K_ITEMS):
        for item in items:
            if number == item.number or item.pattern.match(words):
                return item
    return None


def plain_words(text: str) -> str:
    """Return `text` in lower case, with single spaces and no punctuation."""
    return " ".join(_WORD.findall(text.lower().replace("'", "").replace("\u2019", "")))


# The pattern of the beginning of a heading, and the title that it means.
Title = tuple[re.Pattern[str], str]


class ReportItem(NamedTuple):
    """An item of a report: its part (from 1), its number ("1A"), and its possible titles."""

    part: int
    number: str
    titles: tuple[Title, ...]


class ReportForm(NamedTuple):
    """The items of a form in order; `parts_in_ids` if two parts use the same numbers.

    `last_letter` is the last letter that a number may have. With `lettered_parts`, an item has
    lettered parts (3.A) with titles of their own.
    """

    items: tuple[ReportItem, ...]
    parts_in_ids: bool
    last_letter: str = "D"
    lettered_parts: bool = False


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
# The only item after the exhibits; statements that follow it do not belong to it.
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

FORM_10K = ReportForm(
    (
        ReportItem(1, "1", (_BUSINESS,)),
        # Before 2005 the officers, who have no number, were often listed under one of these.
        ReportItem(1, "1A", (_RISKS, _OFFICERS)),
        ReportItem(1, "1B", (_COMMENTS, _OFFICERS)),
        ReportItem(1, "1C", (_CYBERSECURITY,)),
        ReportItem(1, "2", (_PROPERTIES,)),
        ReportItem(1, "3", (_LEGAL,)),
        ReportItem(1, "4", (_VOTE, _MINES, _RESERVED)),
        ReportItem(1, "4A", (_OFFICERS,)),
        ReportItem(2, "5", (_MARKET,)),
        ReportItem(2, "6", (_SELECTED, _RESERVED)),
        ReportItem(2, "7", (_DISCUSSION,)),
        ReportItem(2, "7A", (_MARKET_RISK,)),
        ReportItem(2, "8", (_STATEMENTS_AND_DATA,)),
        ReportItem(2, "9", (_DISAGREEMENTS,)),
        ReportItem(2, "9A", (_CONTROLS,)),
        ReportItem(2, "9B", (_OTHER,)),
        ReportItem(2, "9C", (_FOREIGN,)),
        ReportItem(3, "10", (_DIRECTORS,)),
        ReportItem(3, "11", (_COMPENSATION,)),
        ReportItem(3, "12", (_OWNERSHIP,)),
        ReportItem(3, "13", (_RELATIONSHIPS,)),
        # For some years the controls were item 14, and today's item 15 was 14 before 2003.
        ReportItem(3, "14", (_FEES, _SCHEDULES, _CONTROLS)),
        ReportItem(4, "15", (_SCHEDULES, _FEES, _CONTROLS)),
        ReportItem(4, "16", (_SUMMARY, _SCHEDULES, _FEES)),
    ),
    parts_in_ids=False,
)
FORM_10Q = ReportForm(
    (
        ReportItem(1, "1", (_STATEMENTS,)),
        ReportItem(1, "2", (_DISCUSSION,)),
        ReportItem(1, "3", (_MARKET_RISK,)),
        ReportItem(1, "4", (_CONTROLS,)),
        ReportItem(2, "1", (_LEGAL,)),
        ReportItem(2, "1A", (_RISKS,)),
        ReportItem(2, "2", (_SALES, _CHANGES)),
        ReportItem(2, "3", (_DEFAULTS,)),
        ReportItem(2, "4", (_VOTE, _MINES, _RESERVED)),
        ReportItem(2, "5", (_OTHER,)),
        ReportItem(2, "6", (_EXHIBITS,)),
    ),
    parts_in_ids=True,
)

_PLAN = _title(
    r"manag\w*(?: s)? (?:s )?(?:discussion|analysis|financial|plan)|plan of operations?",
    "Management's Discussion and Analysis or Plan of Operation",
)
_SMALL_STATEMENTS = _title(
    r"(?:index (?:of|to) )?(?:audited |consolidated )*financial (?:statements?|information)",
    "Financial Statements",
)
_SMALL_EXHIBITS = _title(r"(?:index (?:of|to) )?exhibits?\b", "Exhibits and Reports on Form 8-K")

# For small companies, 1993 to 2008.
FORM_10KSB = ReportForm(
    (
        ReportItem(1, "1", (_BUSINESS,)),
        ReportItem(1, "1A", (_RISKS,)),
        ReportItem(1, "1B", (_COMMENTS,)),
        ReportItem(1, "2", (_PROPERTIES,)),
        ReportItem(1, "3", (_LEGAL,)),
        ReportItem(1, "4", (_VOTE, _RESERVED)),
        ReportItem(2, "5", (_MARKET,)),
        ReportItem(2, "6", (_PLAN, _SELECTED)),
        ReportItem(2, "7", (_SMALL_STATEMENTS,)),
        ReportItem(2, "8", (_DISAGREEMENTS,)),
        ReportItem(2, "8A", (_CONTROLS,)),
        ReportItem(2, "8B", (_OTHER,)),
        ReportItem(3, "9", (_DIRECTORS,)),
        ReportItem(3, "10", (_COMPENSATION,)),
        ReportItem(3, "11", (_OWNERSHIP,)),
        ReportItem(3, "12", (_RELATIONSHIPS,)),
        ReportItem(3, "13", (_SMALL_EXHIBITS,)),
        # For some years the controls were item 14.
        ReportItem(3, "14", (_FEES, _CONTROLS)),
        ReportItem(3, "15", (_FEES,)),
    ),
    parts_in_ids=False,
)
FORM_10QSB = ReportForm(
    (
        ReportItem(1, "1", (_STATEMENTS,)),
        ReportItem(1, "2", (_PLAN,)),
        ReportItem(1, "3", (_CONTROLS,)),
        ReportItem(1, "3A", (_CONTROLS,)),
        *(each for each in FORM_10Q.items if each.part == 2),
    ),
    parts_in_ids=True,
)
# The items since 2000, and earlier ones, when the same numbers meant other items.
FORM_20F = ReportForm(
    (
        ReportItem(
            1,
            "1",
            (
                _title(
                    r"identity of directors",
                    "Identity of Directors, Senior Management and Advisers",
                ),
                _BUSINESS,
            ),
        ),
        ReportItem(
            1,
            "2",
            (_title(r"offer statistics", "Offer Statistics and Expected Timetable"), _PROPERTIES),
        ),
        ReportItem(1, "3", (_title(r"key information", "Key Information"), _LEGAL)),
        ReportItem(
            1,
            "4",
            (
                _title(r"information (?:on|about|regarding) ", "Information on the Company"),
                _title(r"control of (?:the )?(?:registrant|company)", "Control of Registrant"),
            ),
        ),
        ReportItem(1, "4A", (_COMMENTS,)),
        ReportItem(
            1,
            "5",
            (
                _title(
                    r"operating and financial review",
                    "Operating and Financial Review and Prospects",
                ),
                _title(r"nature of (?:the )?trading", "Nature of Trading Market"),
            ),
        ),
        ReportItem(
            1,
            "6",
            (
                _title(
                    r"directors,? (?:and )?senior", "Directors, Senior Management and Employees"
                ),
                _title(
                    r"exchange controls",
                    "Exchange Controls and Other Limitations Affecting Security Holders",
                ),
            ),
        ),
        ReportItem(
            1,
            "7",
            (
                _title(r"major ", "Major Shareholders and Related Party Transactions"),
                _title(r"taxation", "Taxation"),
            ),
        ),
        ReportItem(
            1,
            "8",
            (
                _title(r"(?:consolidated )?financial information", "Financial Information"),
                _SELECTED,
            ),
        ),
        ReportItem(
            1,
            "9",
            (
                _title(r"the (?:offer|listing)|(?:offer|listing)", "The Offer and Listing"),
                _DISCUSSION,
            ),
        ),
        ReportItem(1, "9A", (_MARKET_RISK,)),
        ReportItem(
            1, "10", (_title(r"additional information", "Additional Information"), _DIRECTORS)
        ),
        ReportItem(1, "11", (_MARKET_RISK, _COMPENSATION)),
        ReportItem(
            1,
            "12",
            (
                _title(
                    r"description of (?:the )?securities other",
                    "Description of Securities Other than Equity Securities",
                ),
                _title(r"options to purchase", "Options to Purchase Securities from Registrant"),
            ),
        ),
        ReportItem(
            2,
            "13",
            (
                _title(r"defaults?\b", "Defaults, Dividend Arrearages and Delinquencies"),
                _title(
                    r"interests? of management", "Interest of Management in Certain Transactions"
                ),
            ),
        ),
        ReportItem(
            2,
            "14",
            (
                _title(
                    r"material modifications?(?: (?:to|of) (?:the )?rights.*)?",
                    "Material Modifications to the Rights of Security Holders and Use of Proceeds",
                ),
                _title(
                    r"description of (?:the )?securities to be",
                    "Description of Securities to be Registered",
                ),
            ),
        ),
        ReportItem(2, "15", (_CONTROLS, _title(r"defaults?\b", "Defaults Upon Senior Securities"))),
        ReportItem(2, "16", (_RESERVED, _title(r"changes in", "Changes in Securities"))),
        ReportItem(2, "16A", (_title(r"audit committee", "Audit Committee Financial Expert"),)),
        ReportItem(
            2, "16B", (_title(r"codes? of (?:business )?(?:ethics|conduct)", "Code of Ethics"),)
        ),
        ReportItem(2, "16C", (_FEES,)),
        ReportItem(
            2,
            "16D",
            (
                _title(
                    r"exemptions? from",
                    "Exemptions from the Listing Standards for Audit Committees",
                ),
            ),
        ),
        ReportItem(
            2,
            "16E",
            (
                _title(
                    r"(?:issuer )?(?:re)?purchases? of",
                    "Purchases of Equity Securities by the Issuer and Affiliated Purchasers",
                ),
            ),
        ),
        ReportItem(
            2,
            "16F",
            (
                _title(
                    r"changes? in (?:the )?registrant",
                    "Change in Registrant's Certifying Accountant",
                ),
            ),
        ),
        ReportItem(2, "16G", (_title(r"corporate governance", "Corporate Governance"),)),
        ReportItem(2, "16H", (_title(r"mine safety", "Mine Safety Disclosure"),)),
        ReportItem(2, "16I", (_FOREIGN,)),
        ReportItem(2, "16J", (_title(r"insider trading", "Insider Trading Policies"),)),
        ReportItem(2, "16K", (_CYBERSECURITY,)),
        ReportItem(
            3, "17", (_title(r"(?:consolidated )?financial statements?\b", "Financial Statements"),)
        ),
        ReportItem(
            3, "18", (_title(r"(?:consolidated )?financial statements?\b", "Financial Statements"),)
        ),
        ReportItem(
            3,
            "19",
            (_title(r"(?:index (?:of|to) )?exhibits?\b|financial statements? and", "Exhibits"),),
        ),
    ),
    parts_in_ids=False,
    last_letter="K",
    lettered_parts=True,
)
# The second part of a registration statement; the first, the prospectus, has no items.
FORM_S1 = ReportForm(
    (
        ReportItem(
            2, "13", (_title(r"other expenses", "Other Expenses of Issuance and Distribution"),)
        ),
        ReportItem(
            2, "14", (_title(r"indemnification", "Indemnification of Directors and Officers"),)
        ),
        ReportItem(2, "15", (_title(r"recent sales", "Recent Sales of Unregistered Securities"),)),
        ReportItem(
            2,
            "16",
            (
                _title(
                    r"(?:index (?:of|to) )?exhibits?\b",
                    "Exhibits and Financial Statement Schedules",
                ),
            ),
        ),
        ReportItem(2, "17", (_title(r"undertakings?", "Undertakings"),)),
    ),
    parts_in_ids=False,
    lettered_parts=True,
)

_FORMS = (
    (re.compile(r"10-?KT?(?:405)?"), FORM_10K),
    (re.compile(r"10-?QT?"), FORM_10Q),
    (re.compile(r"10-?KSBT?(?:40)?"), FORM_10KSB),
    (re.compile(r"10-?QSBT?"), FORM_10QSB),
    (re.compile(r"20-?F(?:R12[BG])?"), FORM_20F),
    (re.compile(r"S-1"), FORM_S1),
)
_PROSPECTUS = re.compile(r"(?:[SF]-[13](?:ASR)?|424B[14])(?:/A)?")
# Proxy and information statements; letters and slides that follow them ("DEFA14A") have no parts.
PROXY_FORMS = frozenset(
    "DEF 14A,DEFC14A,DEFM14A,DEFN14A,DEFR14A,DEF 14C,DEFM14C,DEFR14C,"
    "PRE 14A,PREC14A,PREM14A,PREN14A,PRER14A,PRE 14C,PREM14C,PRER14C".split(",")
)
# Forms whose parts have titles but no numbers.
TITLED_FORMS = PROXY_FORMS | {"40-F", "40-F/A"}
_CURRENT = re.compile(r"8-K(?:12B|12G3|15D5|405|T)?(?:/A)?")


def report_form_of(form_type: str) -> ReportForm | None:
    """Return the items of reports of this type; None if it has none, or those of Form 8-K."""
    original = form_type.removesuffix("/A")
    return next((form for pattern, form in _FORMS if pattern.fullmatch(original)), None)


def is_current_report(form_type: str) -> bool:
    """Return True for Form 8-K of any kind."""
    return _CURRENT.fullmatch(form_type) is not None


def is_prospectus(form_type: str) -> bool:
    """Return True for a prospectus, or a registration statement that begins with one."""
    return _PROSPECTUS.fullmatch(form_type) is not None


def has_sections(form_type: str) -> bool:
    """Return True if a document of this type may have sections."""
    titled = form_type in TITLED_FORMS
    kinds = (titled, is_current_report(form_type), is_prospectus(form_type))
    return any(kinds) or report_form_of(form_type) is not None
