"""Form 13F: the cover of a manager's report, and its information table."""

from edgar_search.text.forms.elements import Element
from edgar_search.text.forms.families import Family, FormWriter

_COLUMNS = (
    ("Name of issuer", ("nameOfIssuer",)),
    ("Title of class", ("titleOfClass",)),
    ("CUSIP", ("cusip",)),
    ("FIGI", ("figi",)),
    ("Value", ("value",)),
    ("Shares or principal amount", ("shrsOrPrnAmt", "sshPrnamt")),
    ("SH, shares, or PRN, principal amount", ("shrsOrPrnAmt", "sshPrnamtType")),
    ("Put or call", ("putCall",)),
    (
        "Investment discretion: SOLE, sole; DFND, shared-defined; OTR, shared-other",
        ("investmentDiscretion",),
    ),
    ("Other managers", ("otherManager",)),
    ("Voting authority: sole", ("votingAuthority", "Sole")),
    ("Voting authority: shared", ("votingAuthority", "Shared")),
    ("Voting authority: none", ("votingAuthority", "None")),
)
_NUMBERS = frozenset({"value", "sshPrnamt", "Sole", "Shared", "None"})


def _write_holding(writer: FormWriter, holding: Element) -> None:
    lines = writer.lines
    if not writer.has_table:
        writer.has_table = True
        lines.end_paragraph()
        for number, (label, _) in enumerate(_COLUMNS):
            if number:
                lines.end_cell()
            lines.add(label)
        lines.end_line()
    for number, (_, path) in enumerate(_COLUMNS):
        if number:
            lines.end_cell()
        leaf = holding.find(*path)
        if leaf is not None:
            for run in leaf.runs:
                lines.add_number(run) if leaf.name in _NUMBERS else lines.add_value(run)
            writer.done(leaf)
    lines.end_line()


FAMILY = Family(
    titles={
        "13F-HR": "Form 13F: Holdings report of an institutional investment manager",
        "13F-NT": "Form 13F: Notice of an institutional investment manager",
        "13F-CTR": "Form 13F: Confidential treatment request of an investment manager",
        "informationTable": "Form 13F information table",
    },
    labels={
        "reportCalendarOrQuarter": "Report for the calendar year or quarter ended",
        "crdNumber": "CRD number",
        "secFileNumber": "SEC file number",
        "form13FFileNumber": "Form 13F file number",
        "provideInfoForInstruction5": "Information for Instruction 5",
        "otherIncludedManagersCount": "Number of other included managers",
        "tableEntryTotal": "Form 13F information table entry total",
        "tableValueTotal": "Form 13F information table value total",
        "isConfidentialOmitted": "Confidential information is omitted",
        "otherManagers2Info": "Other included managers",
        "otherManagersInfo": "Other managers reporting for this manager",
        "confDeniedExpired": "Confidential treatment denied or expired",
    },
    composers={"infoTable": _write_holding},
)
