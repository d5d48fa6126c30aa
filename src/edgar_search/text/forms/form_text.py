"""The text of one of EDGAR's own forms, as the SEC shows it: labelled lines, codes with meanings.

A family of forms declares its titles and labels here; Forms 3, 4 and 5 have a module of their own.
"""

import re
from xml.parsers import expat

from edgar_search.edgar import codes
from edgar_search.text.forms import insider
from edgar_search.text.forms.elements import Element, FormRefused, Rows, local_name, walk
from edgar_search.text.forms.families import Family, FormWriter
from edgar_search.text.forms.lines import FormText

# Schedules 13D and 13G: large stakes.
SCHEDULES = Family(
    titles={
        "SCHEDULE 13D": "Schedule 13D: Beneficial ownership of more than five percent",
        "SCHEDULE 13G": "Schedule 13G: Passive beneficial ownership of more than five percent",
    },
    labels={
        "coverPageHeader": "Cover page",
        "securitiesClassTitle": "Title of class of securities",
        "dateOfEvent": "Date of event which requires filing of this statement",
        "eventDateRequiresFilingThisStatement": "Date of event which requires filing of this"
        " statement",
        "previouslyFiledFlag": "Previously filed a Schedule 13G",
        "designateRulePursuantThisScheduleFiled": "Filed under",
        "coverPageHeaderReportingPersonDetails": "Reporting person",
        "reportingPersonInfo": "Reporting person",
        "reportingPersonName": "Name of reporting person",
        "reportingPersonNoCIK": "Reporting person has no CIK",
        "memberOfGroup": "Member of a group",
        "memberGroup": "Member of a group",
        "fundType": "Source of funds",
        "legalProceedings": "Legal proceedings are disclosed",
        "citizenshipOrOrganization": "Citizenship or place of organization",
        "aggregateAmountOwned": "Aggregate amount beneficially owned",
        "reportingPersonBeneficiallyOwnedAggregateNumberOfShares": "Aggregate amount beneficially"
        " owned",
        "reportingPersonBeneficiallyOwnedNumberOfShares": "Number of shares beneficially owned",
        "isAggregateExcludeShares": "Aggregate amount excludes certain shares",
        "aggregateAmountExcludesCertainSharesFlag": "Aggregate amount excludes certain shares",
        "percentOfClass": "Percent of class",
        "classPercent": "Percent of class",
        "typeOfReportingPerson": "Type of reporting person",
        "typeOfPersonFiling": "Type of person filing",
        "items1To7": "Items",
        **{f"item{number}": f"Item {number}" for number in range(1, 11)},
    },
    codes={
        "typeOfReportingPerson": codes.REPORTING_PERSONS,
        "typeOfPersonFiling": codes.REPORTING_PERSONS,
        "fundType": codes.SOURCES_OF_FUNDS,
        "memberOfGroup": codes.MEMBERS_OF_GROUP,
        "memberGroup": codes.MEMBERS_OF_GROUP,
    },
)

# Form 144: planned sales.
FORM_144 = Family(
    titles={"144": "Form 144: Notice of proposed sale of securities"},
    labels={
        "issuerInfo": "Issuer",
        "nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold": "Name of person for whose account"
        " the securities are to be sold",
        "relationshipToIssuer": "Relationship to issuer",
        "securitiesInformation": "Securities to be sold",
        "securitiesClassTitle": "Title of the class of securities",
        "brokerOrMarketmakerDetails": "Broker or market maker",
        "noOfUnitsSold": "Number of shares or other units to be sold",
        "aggregateMarketValue": "Aggregate market value",
        "noOfUnitsOutstanding": "Number of shares or other units outstanding",
        "approxSaleDate": "Approximate date of sale",
        "securitiesExchangeName": "Securities exchange",
        "securitiesToBeSold": "Acquisition of the securities to be sold",
        "nameOfPersonfromWhomAcquired": "Name of person from whom acquired",
        "isGiftTransaction": "Gift",
        "donarAcquiredDate": "Date on which the donor acquired",
        "securitiesSoldInPast3Months": "Securities sold during the past 3 months",
        "nothingToReportFlagOnSecuritiesSoldInPast3Months": "Nothing to report on securities sold"
        " during the past 3 months",
        "nothingToReportFlag": "Nothing to report",
        "noticeSignature": "Signature",
        "planAdoptionDate": "Date of plan adoption or giving of instruction under Rule 10b5-1",
    },
)

# Form 13F: the cover of a manager's report, and its information table.
_HOLDING_COLUMNS = (
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
_NUMBERS_AT = frozenset(
    number for number, (_, path) in enumerate(_HOLDING_COLUMNS) if path[-1] in _NUMBERS
)
HOLDINGS = Rows("infoTable", [path for _, path in _HOLDING_COLUMNS])


def _write_holding(writer: FormWriter, holding: Element) -> None:
    lines = writer.lines
    if not writer.has_table:
        writer.has_table = True
        lines.end_paragraph()
        for number, (label, _) in enumerate(_HOLDING_COLUMNS):
            if number:
                lines.end_cell()
            lines.add(label)
        lines.end_line()
    if holding.cells is not None:
        for number, run in enumerate(holding.cells):
            if number:
                lines.end_cell()
            if run is not None:
                lines.add_number(run) if number in _NUMBERS_AT else lines.add_value(run)
        lines.end_line()
        return
    for number, (_, path) in enumerate(_HOLDING_COLUMNS):
        if number:
            lines.end_cell()
        leaf = holding.find(*path)
        if leaf is not None:
            for run in leaf.runs:
                lines.add_number(run) if number in _NUMBERS_AT else lines.add_value(run)
            writer.done(leaf)
    lines.end_line()


FORM_13F = Family(
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
    rows=HOLDINGS,
)


# Forms N-CEN, N-PORT and N-PX: funds, their portfolios and their votes.
def _write_vote(writer: FormWriter, vote: Element) -> None:
    writer.write_row(vote, "Proxy vote")


FUNDS = Family(
    titles={
        "N-CEN": "Form N-CEN: Annual report for registered investment companies",
        "NPORT": "Form N-PORT: Monthly portfolio investments report",
        "N-PX": "Form N-PX: Annual report of proxy voting record",
        "proxyVoteTable": "Form N-PX proxy vote table",
    },
    labels={
        "genInfo": "Part A: General information",
        "fundInfo": "Part B: Information about the fund",
        "invstOrSecs": "Part C: Schedule of portfolio investments",
        "invstOrSec": "Investment",
        "regCountry": "Registrant country",
        "repPdEnd": "Fiscal year end",
        "repPdDate": "Date of report",
        "amtPayOneYrBanksBorr": "Amounts payable within one year: banks or other institutions",
        "amtPayOneYrCtrldComp": "Amounts payable within one year: controlled companies",
        "amtPayOneYrOthAffil": "Amounts payable within one year: other affiliates",
        "amtPayOneYrOther": "Amounts payable within one year: others",
        "amtPayAftOneYrBanksBorr": "Amounts payable after one year: banks or other institutions",
        "amtPayAftOneYrCtrldComp": "Amounts payable after one year: controlled companies",
        "amtPayAftOneYrOthAffil": "Amounts payable after one year: other affiliates",
        "amtPayAftOneYrOther": "Amounts payable after one year: others",
        "assetsAttrMiscSec": "Assets attributable to miscellaneous securities",
        "assetsInvested": "Assets invested in a controlled foreign corporation",
        "liquidPref": "Liquidation preference of outstanding preferred stock",
        "cshNotRptdInCorD": "Cash and cash equivalents not reported in Parts C and D",
        "curCd": "Currency",
        "pctVal": "Percentage of net assets",
        "valUSD": "Value in U.S. dollars",
        "invCountry": "Country of issuer",
        "assetCat": "Asset type",
        "issuerCat": "Issuer type",
        "fairValLevel": "Fair value level",
        "isDefault": "In default",
        "areIntrstPmntsInArrs": "Interest payments in arrears",
        "intrstRtRiskdv01": "Interest rate risk, 1 basis point",
        "intrstRtRiskdv100": "Interest rate risk, 100 basis points",
        "rtn1": "month 1",
        "rtn2": "month 2",
        "rtn3": "month 3",
    },
    codes={
        "assetCat": codes.ASSETS,
        "issuerCat": codes.ISSUERS,
        "units": codes.UNITS,
        "derivCat": codes.DERIVATIVES,
        "invstCat": codes.COLLATERAL,
        "category": codes.LIQUIDITY,
        "classification": codes.LIQUIDITY,
    },
    composers={"proxyTable": _write_vote},
)

# Forms D, C and 1-A: offerings that are exempt from registration.
OFFERINGS = Family(
    titles={
        "D": "Form D: Notice of exempt offering of securities",
        "C": "Form C: Offering statement of crowdfunding",
        "C-U": "Form C-U: Progress update of crowdfunding",
        "C-AR": "Form C-AR: Annual report of crowdfunding",
        "C-TR": "Form C-TR: Termination of reporting of crowdfunding",
        "C-W": "Form C-W: Withdrawal of an offering statement of crowdfunding",
        "1-A": "Form 1-A: Offering statement under Regulation A",
        "1-K": "Form 1-K: Annual report under Regulation A",
        "1-Z": "Form 1-Z: Exit report under Regulation A",
    },
    labels={
        "testOrLive": "Test or live",
        "jurisdictionOfInc": "Jurisdiction of incorporation or organization",
        "yearOfInc": "Year of incorporation or organization",
        "issuerPreviousNameList": "Previous name of issuer",
        "edgarPreviousNameList": "Previous name at EDGAR",
        "relatedPersonInfo": "Related person",
        "relatedPersonRelationshipList": "Relationship of related person",
        "item": "Federal exemption or exclusion claimed",
        "is40Act": "Registered under the Investment Company Act of 1940",
        "dateOfFirstSale": "Date of first sale",
        "yetToOccur": "First sale yet to occur",
        "moreThanOneYear": "Offering lasts more than one year",
        "isEquityType": "Equity",
        "isDebtType": "Debt",
        "isPooledInvestmentFundType": "Pooled investment fund interests",
        "actReceivedMostRecentFiscalYear": "Accounts receivable most recent fiscal year",
        "actReceivedPriorFiscalYear": "Accounts receivable prior fiscal year",
        "cashEquiMostRecentFiscalYear": "Cash and cash equivalents most recent fiscal year",
        "cashEquiPriorFiscalYear": "Cash and cash equivalents prior fiscal year",
        "noOfSecurityOffered": "Number of securities offered",
        "issueJurisdictionSecuritiesOffering": "Jurisdiction of the offering",
    },
    codes={"item": codes.EXEMPTIONS},
)

_ROOT = re.compile(r"<([^\s/>!?]+)")
_FORM_TYPE = re.compile(r"<(?:\w+:)?(?:submissionType|documentType)>\s*([^<]*?)\s*<")
_BEGINNING = 20_000  # the form's name comes within this many characters

_BY_ROOT = {
    "ownershipDocument": insider.FAMILY,
    "informationTable": FORM_13F,
    "proxyVoteTable": FUNDS,
}
_BY_FORM_TYPE = (
    (re.compile(r"13F-"), FORM_13F),
    (re.compile(r"SCHEDULE 13[DG]"), SCHEDULES),
    (re.compile(r"144(?:/A)?$"), FORM_144),
    (re.compile(r"N-CEN|NPORT|N-PX"), FUNDS),
    (re.compile(r"(?:D|C|C-\w+|1-[AKZ]\w*)(?: POS)?(?:/A|-W)?$"), OFFERINGS),
)


def form_text(xml: str) -> FormText | None:
    """Return the text of a form of a known family, or None for any other XML.

    Also None if `xml` is not well-formed, declares a document type, whose entities may cost without
    bound, or is nested more deeply than any form. Every value is in the text, with its position.
    """
    family, title = _family(xml)
    if family is None or not _is_well_formed(xml):
        return None
    writer = FormWriter(family)
    writer.lines.add(title)
    writer.lines.end_line()
    try:
        writer.write(walk(xml, family.composed, family.rows))
    except FormRefused:
        return None
    return writer.lines.form_text()


def _family(xml: str) -> tuple[Family | None, str]:
    """Return the form's family and title."""
    root = _ROOT.search(xml)
    name = local_name(root[1]) if root else ""
    match = _FORM_TYPE.search(xml, 0, _BEGINNING)
    form_type = match[1].removesuffix("/A") if match else ""
    family = _BY_ROOT.get(name)
    if name == "edgarSubmission":
        family = next(
            (candidate for form, candidate in _BY_FORM_TYPE if form.match(form_type)), None
        )
    if family is None:
        return None, ""
    titles = family.titles
    begun = (title for form, title in titles.items() if form_type.startswith(form))
    return family, titles.get(form_type) or titles.get(name) or next(begun, "")


def _is_well_formed(xml: str) -> bool:
    """Return True if the XML is well-formed.

    A parser without handlers takes a quarter of the time that it takes with them.
    """
    if "<!DOCTYPE" in xml:
        return False
    try:
        expat.ParserCreate("utf-8").Parse(
            xml.strip("\ufeff \t\r\n").encode("utf-8", errors="replace"), True
        )
    except expat.ExpatError:
        return False
    return True
