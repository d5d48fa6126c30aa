"""Titles of the parts of proxy statements and of Form 40-F, which are not numbered.

A pattern is matched against a whole title in lower case, its words one space apart and without
punctuation. Schedule 14A and Form 40-F prescribe the contents, under titles that nearly all filers
use.
"""

import re
from typing import NamedTuple


class PartTitle(NamedTuple):
    """A title, by its pattern, and the `name` of its part; without a name it only ends other parts.

    A division is of the highest level in most filings. It may contain all titles that are not
    divisions, except the ones named in `ends`, and divisions named in `may_hold`, or any if that is
    None. Other parts contain nothing, and `inside` is the name of the part to which a title always
    belongs. If a part `has_captions`, unknown titles that follow it belong to it.
    """

    pattern: re.Pattern[str]
    name: str
    is_division: bool
    inside: str = ""
    may_hold: tuple[str, ...] | None = ()
    ends: tuple[str, ...] = ()
    has_captions: bool = False

    def is_ended_by(self, other: "PartTitle", *, is_alike: bool) -> bool:
        """Return True if another title cannot belong to this part.

        `is_alike` is true if it is on the same level.
        """
        if is_alike:
            # The discussion is the first chapter of the whole, under a heading that looks like it.
            return (self.name, other.name) != (_TABLES, _DISCUSSION)
        if self.may_hold is None or other.name in self.may_hold:
            return False
        return other.is_division or other.name in self.ends or not self.is_division


class TitledForm(NamedTuple):
    """A form's titles; `is_mixed` if its headings may be in lower case too."""

    titles: tuple[PartTitle, ...]
    is_mixed: bool


def _division(
    name: str,
    pattern: str,
    may_hold: tuple[str, ...] | None = (),
    ends: tuple[str, ...] = (),
    *,
    has_captions: bool = False,
) -> PartTitle:
    return PartTitle(
        re.compile(pattern),
        name,
        is_division=True,
        may_hold=may_hold,
        ends=ends,
        has_captions=has_captions,
    )


def _other(name: str, pattern: str, inside: str = "") -> PartTitle:
    return PartTitle(re.compile(pattern), name, is_division=False, inside=inside)


PROPOSAL = "Proposal"
_TABLES, _REPORT, _SUMMARY_TABLE = (
    "Executive compensation",
    "Compensation committee report",
    "Summary compensation table",
)
_DISCUSSION, _GOVERNANCE = "Compensation discussion and analysis", "Corporate governance"
_OWNERSHIP, _OTHER_MATTERS = "Security ownership", "Other matters"
_RELATED, _FORWARD = "Related transactions", "Forward-looking statements"
_AT_THE_MEETING = ("", _OTHER_MATTERS, _FORWARD, "The meeting", "Questions and answers")
# The subject of a vote may be described below the proposal.
IS_PROPOSAL = PartTitle(
    re.compile(""),
    PROPOSAL,
    is_division=True,
    may_hold=(_TABLES, _DISCUSSION, _GOVERNANCE, _OWNERSHIP),
)
_HOLDERS = r"(?:stock|share|security ?|unit)holders?"
_EXECUTIVES = r"(?:our )?(?:named )?executive officers?"

PROXY_STATEMENT = TitledForm(
    (
        _division("Summary", r"(?:proxy |executive )?(?:statement )?summary(?: term sheet)?", None),
        _division(
            "Questions and answers",
            r"(?:frequently asked )?questions and answers.*",
            _AT_THE_MEETING,
        ),
        _division(
            "The meeting",
            rf"procedural matters|general information(?: about the .*)?|about the meeting"
            rf"|voting (?:information|matters|procedures)"
            rf"|(?:information )?(?:about )?(?:the )?(?:\d{{4}} )?"
            rf"(?:(?:annual|special|{_HOLDERS}) )+meeting(?: of {_HOLDERS})?(?: information)?",
            _AT_THE_MEETING,
        ),
        _division(
            _GOVERNANCE,
            r"(?:board of directors )?(?:and )?corporate governance"
            r"(?: matters| information)?(?: and .*)?",
        ),
        _division(
            _DISCUSSION,
            r"(?:executive )?compensation discussion and analysis(?: cd and a)?",
            ends=(_REPORT, _SUMMARY_TABLE),
            has_captions=True,
        ),
        _division(
            _TABLES,
            rf"executive (?:officers? )?compensation(?: tables?| information)?"
            rf"|compensation of {_EXECUTIVES}|{_EXECUTIVES} compensation(?: tables?)?",
            (_DISCUSSION,),
        ),
        _division(
            _OWNERSHIP,
            r"(?:(?:security|stock|share|beneficial|common) )+ownership"
            r"(?!.* (?:guidelines?|requirements?|polic\w+|tables?|reporting\b.*))(?: .*)?"
            rf"|principal {_HOLDERS}|(?:voting securities and )?principal holders(?: thereof)?",
            ends=(
                _RELATED,
                _REPORT,
                "Equity compensation plans",
                "Executive officers",
                "Director compensation",
                "Householding",
                "Proposals for the next meeting",
            ),
        ),
        _division(_OTHER_MATTERS, r"other matters(?: .*)?"),
        _division("", r"proposals (?:for|submitted|requiring|to be)\b(?!.* meeting).*"),
        _division("", r"(?:appendix|annex|exhibit) [a-z0-9]{1,3}(?: .*)?"),
        _division("The merger", r"the merger"),
        _division("The merger agreement", r"the merger agreement"),
        _division("The parties", r"(?:the )?(?:parties|companies)(?: to the merger)?"),
        _division("Appraisal rights", r"(?:appraisal|dissenters) rights"),
        _division(
            "Where to find more information", r"where you can find (?:more|additional) information"
        ),
        _division(
            _FORWARD,
            r"(?:(?:special |cautionary )?(?:note|statements?) (?:regarding|concerning|about) )?"
            r"forward looking statements",
        ),
        _other(
            "",
            r"(?!(?:proposal|item) ).*\b(?:vote required|required vote|recommend\w+|nominees)\b.*",
            PROPOSAL,
        ),
        # Just as often, the part on governance reports them.
        _other(
            _RELATED,
            r"certain (?:relationships|transactions|related)\b.*"
            r"|(?:related (?:party|person) transactions|transactions with related \w+)(?: .*)?",
        ),
        _other(
            "Director compensation",
            r"(?:independent |non ?employee |outside )?directors? compensation(?: table| program)?"
            r"|compensation of (?:our |non ?employee )*directors",
        ),
        _other("Board of directors", r"(?:the |our )?board of directors(?: and its committees)?"),
        _other("Executive officers", r"(?:information about )?(?:our )?executive officers.*"),
        _other(
            "Audit committee report",
            r"report of the audit(?: and [a-z]+)* committee.*"
            r"|audit(?: and [a-z]+)* committee report",
        ),
        _other(
            "Auditor's fees",
            r"(?:fees (?:paid|billed)|(?:principal|independent|audit)\b.*\bfees)\b.*|audit fees",
        ),
        _other(
            _REPORT,
            r"report of the (?:[a-z]+ and )?compensation(?: and [a-z ]+)? committee.*"
            r"|(?:[a-z]+ and )?compensation(?: and [a-z ]+)? committee report.*",
        ),
        _other(
            "Compensation committee interlocks", r"(?:compensation committee )?interlocks and .*"
        ),
        _other(_SUMMARY_TABLE, r"(?:\d{4} )?summary compensation tables?(?: for .*)?", _TABLES),
        _other("Plan-based awards", r"(?:\d{4} )?grants of plan based awards.*", _TABLES),
        _other("Outstanding equity awards", r"(?:\d{4} )?outstanding equity awards.*", _TABLES),
        _other(
            "Options exercised and stock vested", r"(?:\d{4} )?options? exercise[sd].*", _TABLES
        ),
        _other("Pension benefits", r"(?:\d{4} )?pension benefits.*", _TABLES),
        _other("Deferred compensation", r"(?:\d{4} )?non ?qualified deferred .*", _TABLES),
        _other(
            "Payments upon termination",
            r"(?:estimated )?(?:potential )?payments (?:upon|on) (?:termination|a? ?change).*",
            _TABLES,
        ),
        _other("Pay ratio", r"(?:\d{4} )?(?:ceo )?pay ratio(?: disclosure)?", _TABLES),
        _other("Pay versus performance", r"(?:\d{4} )?pay versus performance.*", _TABLES),
        _other(
            "Compensation risk",
            r"(?:(?:executive )?compensation (?:(?:plans?|program|polic\w+) )?(?:and )?"
            r"|assessment of )risks?(?: .*)?",
        ),
        _other("Equity compensation plans", r"(?:securities .*)?equity compensation plans?\b.*"),
        _other("Section 16(a) reports", r"(?:delinquent )?section 16 a .*"),
        _other("Householding", r"householding.*|multiple .* (?:sharing|same) .*address"),
        _other(
            "Proposals for the next meeting",
            rf"(?:future )?{_HOLDERS} proposals .*|future {_HOLDERS} proposals"
            rf"|(?:deadline for |submission of )?(?:{_HOLDERS} )?proposals (?:by|of) {_HOLDERS}.*",
        ),
        _other("Other business", r"other (?:business|information)"),
    ),
    is_mixed=False,
)

_REGISTRANT = r"(?:(?:of|on|by) )?(?:the )?(?:registered|registrants?|independent|public)"
_CONTROL = r"internal controls? over financial reporting"
FORM_40F = TitledForm(
    (
        _division("Principal documents", r"principal documents"),
        _division("Annual information form", r"annual information form"),
        _division(
            "Annual financial statements",
            r"(?:audited )?(?:consolidated )?(?:annual )?(?:audited )?(?:consolidated )?"
            r"(?:annual )?financial statements",
        ),
        _division(
            "Management's discussion and analysis", r"managements? discussion and analysis.*"
        ),
        _division(
            "Disclosure controls and procedures",
            r"(?:certifications? and )?(?:evaluation of )?(?:disclosure (?:regarding )?)?"
            r"controls and procedures",
        ),
        _division(
            "Management's report on internal control",
            rf"managements? (?:annual )?report on {_CONTROL}",
        ),
        _division(
            "Auditor's attestation report",
            rf"(?:auditors? )?attestation report(?: {_REGISTRANT}.*)?",
        ),
        _division("Changes in internal control", rf"changes? in {_CONTROL}"),
        _division(
            "Notices of blackout periods",
            r"notices? (?:pursuant to|required by) .*|notice of pension fund blackout periods?",
        ),
        _division("Audit committee financial expert", r"audit committee financial experts?"),
        _division(
            "Identification of the audit committee", r"(?:identification of the )?audit committee"
        ),
        _division("Code of ethics", r"codes? of (?:ethics|(?:business )?conduct)(?: and .*)?"),
        _division(
            "Principal accountant fees and services",
            r"(?:principal|independent) (?:account|audit)\w+(?: fees and services| fees)",
        ),
        _division(
            "Off-balance sheet arrangements", r"(?:disclosure of )?off balance sheet arrangements?"
        ),
        _division(
            "Contractual obligations",
            r"(?:tabular )?(?:disclosure of )?contractual obligations(?: and commitments)?",
        ),
        _division("Corporate governance", r"(?:nyse |nasdaq )?corporate governance(?: .*)?"),
        _division("Mine safety disclosure", r"mine safety(?: and health)?(?: disclosures?)?.*"),
        _division(
            "Foreign jurisdictions that prevent inspections", r"disclosures? regarding foreign .*"
        ),
        _division(
            "Recovery of compensation",
            r"(?:recovery of erroneously awarded|clawback|incentive compensation recovery).*",
        ),
        _division("Differences in accounting principles", r"differences in .* accounting .*"),
        _division("Undertakings", r"undertakings?(?: and consent to service of process)?"),
        _division("Consent to service of process", r"consent (?:to|for) service of process"),
        _division("", r"signatures?"),
        _division("", r"(?:exhibit index|index (?:of|to) exhibits|exhibits|documents filed.*)"),
        _other(
            "",
            r"(?:audit|audit related|tax|all other) fees|pre ?approval (?:of|polic).*",
            "Principal accountant fees and services",
        ),
    ),
    is_mixed=True,
)
