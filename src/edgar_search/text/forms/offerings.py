"""Forms D, C and 1-A: offerings that are exempt from registration."""

from edgar_search.edgar import codes
from edgar_search.text.forms.families import Family

FAMILY = Family(
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
