"""Schedules 13D and 13G, large stakes; and Form 144, planned sales."""

from edgar_search.edgar import codes
from edgar_search.text.forms.families import Family

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
