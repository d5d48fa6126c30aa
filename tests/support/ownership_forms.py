"""Ownership forms of companies and persons that do not exist."""

from tests.support.submissions import MadeUpDocument

FORM_4 = """<?xml version="1.0"?>
<ownershipDocument>
  <schemaVersion>X0508</schemaVersion>
  <documentType>4</documentType>
  <issuer><issuerCik>0009990001</issuerCik><issuerName>MOSS &amp; SONS</issuerName>
    <issuerTradingSymbol>MOSS</issuerTradingSymbol></issuer>
  <reportingOwner>
    <reportingOwnerId><rptOwnerCik>0009990002</rptOwnerCik><rptOwnerName>Fern Ada</rptOwnerName>
    </reportingOwnerId>
    <reportingOwnerAddress><rptOwnerCity>Bog</rptOwnerCity><rptOwnerState>VT</rptOwnerState>
    </reportingOwnerAddress>
    <reportingOwnerRelationship><isDirector>1</isDirector><isOfficer>false</isOfficer>
    </reportingOwnerRelationship>
  </reportingOwner>
  <nonDerivativeTable>
    <nonDerivativeTransaction>
      <securityTitle><value>Common Stock</value></securityTitle>
      <transactionDate><value>2025-04-30</value></transactionDate>
      <transactionCoding><transactionCode>S</transactionCode>
        <equitySwapInvolved>0</equitySwapInvolved><footnoteId id="F2"/></transactionCoding>
      <transactionAmounts>
        <transactionShares><value>2590</value><footnoteId id="F1"/></transactionShares>
        <transactionPricePerShare><value>182.00</value></transactionPricePerShare>
        <transactionAcquiredDisposedCode><value>D</value></transactionAcquiredDisposedCode>
      </transactionAmounts>
      <postTransactionAmounts><sharesOwnedFollowingTransaction><value>1234567</value>
        </sharesOwnedFollowingTransaction></postTransactionAmounts>
      <ownershipNature><directOrIndirectOwnership><value>I</value></directOrIndirectOwnership>
        <natureOfOwnership><value>By trust</value></natureOfOwnership></ownershipNature>
      <colourOfSecurity><value>green</value></colourOfSecurity>
    </nonDerivativeTransaction>
  </nonDerivativeTable>
  <footnotes><footnote id="F1">Sold in
    two lots.</footnote><footnote id="F2">By plan.</footnote></footnotes>
</ownershipDocument>
"""

SCHEDULE_13D = """<?xml version="1.0"?>
<edgarSubmission xmlns="http://www.sec.gov/edgar/schedule13D" xmlns:com="x">
<headerData><submissionType>SCHEDULE 13D/A</submissionType>
<previousAccessionNumber>0009990093-24-000001</previousAccessionNumber>
<filerInfo><filer><filerCredentials><cik>0009990011</cik></filerCredentials></filer></filerInfo>
</headerData>
<formData>
<coverPageHeader><securitiesClassTitle>Common stock</securitiesClassTitle>
<dateOfEvent>12/31/2024</dateOfEvent>
<issuerInfo><issuerCIK>0009990001</issuerCIK><issuerCUSIP>999000101</issuerCUSIP>
<issuerName>MOSS &amp; SONS</issuerName></issuerInfo></coverPageHeader>
<reportingPersons>
<reportingPersonInfo><reportingPersonCIK>0009990011</reportingPersonCIK>
<reportingPersonName>Lichen Partners, L.P.</reportingPersonName>
<soleVotingPower>0</soleVotingPower><sharedVotingPower>2100000</sharedVotingPower>
<soleDispositivePower>0</soleDispositivePower>
<sharedDispositivePower>2100000</sharedDispositivePower>
<aggregateAmountOwned>2100000</aggregateAmountOwned><percentOfClass>8.5</percentOfClass>
<typeOfReportingPerson>PN</typeOfReportingPerson></reportingPersonInfo>
<reportingPersonInfo><reportingPersonNoCIK>Y</reportingPersonNoCIK>
<reportingPersonName>Fern Ada</reportingPersonName>
<aggregateAmountOwned>2435000.50</aggregateAmountOwned><percentOfClass>9.9%</percentOfClass>
<typeOfReportingPerson>IN</typeOfReportingPerson></reportingPersonInfo>
</reportingPersons></formData></edgarSubmission>
"""
SCHEDULE_13G = """<?xml version="1.0"?>
<edgarSubmission xmlns="http://www.sec.gov/edgar/schedule13g">
<headerData><submissionType>SCHEDULE 13G</submissionType>
<filerInfo><filer><filerCredentials><cik>0009990012</cik></filerCredentials></filer></filerInfo>
</headerData>
<formData>
<coverPageHeader><securitiesClassTitle>Class A</securitiesClassTitle>
<eventDateRequiresFilingThisStatement>01/15/2025</eventDateRequiresFilingThisStatement>
<issuerInfo><issuerCik>0009990002</issuerCik><issuerName>FERN INC</issuerName>
<issuerCusips><issuerCusipNumber>999000202</issuerCusipNumber>
<issuerCusipNumber>999000210</issuerCusipNumber></issuerCusips></issuerInfo></coverPageHeader>
<coverPageHeaderReportingPersonDetails>
<reportingPersonName>Bracken Advisers LLC</reportingPersonName>
<reportingPersonBeneficiallyOwnedNumberOfShares><soleVotingPower>7.00</soleVotingPower>
<sharedVotingPower>8</sharedVotingPower><soleDispositivePower>9</soleDispositivePower>
<sharedDispositivePower>10</sharedDispositivePower>
</reportingPersonBeneficiallyOwnedNumberOfShares>
<reportingPersonBeneficiallyOwnedAggregateNumberOfShares>15</reportingPersonBeneficiallyOwnedAggregateNumberOfShares>
<classPercent>5.1</classPercent><typeOfReportingPerson>IA</typeOfReportingPerson>
<typeOfReportingPerson>HC</typeOfReportingPerson></coverPageHeaderReportingPersonDetails>
</formData></edgarSubmission>
"""

FORM_144 = """<?xml version="1.0"?>
<edgarSubmission xmlns="http://www.sec.gov/edgar/ownership" xmlns:com="x">
<headerData><submissionType>144</submissionType></headerData>
<formData>
<issuerInfo><issuerCik>0009990001</issuerCik><issuerName>MOSS &amp; SONS</issuerName>
<nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold>Fern Ada
</nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold>
<relationshipsToIssuer><relationshipToIssuer>Officer</relationshipToIssuer>
<relationshipToIssuer>Director</relationshipToIssuer></relationshipsToIssuer></issuerInfo>
<securitiesInformation><securitiesClassTitle>Common</securitiesClassTitle>
<brokerOrMarketmakerDetails><name>Peat Brokers</name></brokerOrMarketmakerDetails>
<noOfUnitsSold>17087</noOfUnitsSold><aggregateMarketValue>1282000.00</aggregateMarketValue>
<noOfUnitsOutstanding>161514066</noOfUnitsOutstanding>
<approxSaleDate>08/27/2022</approxSaleDate>
<securitiesExchangeName>NYSE</securitiesExchangeName></securitiesInformation>
<securitiesInformation><securitiesClassTitle>Preferred</securitiesClassTitle>
<noOfUnitsSold>some</noOfUnitsSold></securitiesInformation>
<securitiesSoldInPast3Months><sellerDetails><name>Fern Ada</name></sellerDetails>
<securitiesClassTitle>Common</securitiesClassTitle><saleDate>07/01/2022</saleDate>
<amountOfSecuritiesSold>5</amountOfSecuritiesSold><grossProceeds>370.50</grossProceeds>
</securitiesSoldInPast3Months>
<noticeSignature><planAdoptionDates><planAdoptionDate>01/15/2022</planAdoptionDate>
</planAdoptionDates></noticeSignature>
</formData></edgarSubmission>
"""


def cover_13f(
    entries: int = 2,
    total: int = 4500,
    *,
    period: str = "12-31-2024",
    report: str = "13F HOLDINGS REPORT",
    amendment: str = "",
    more: str = "",
) -> str:
    """Return the cover of a report of a manager on Form 13F."""
    amended = f"<amendmentInfo><amendmentType>{amendment}</amendmentType></amendmentInfo>"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<edgarSubmission xmlns="http://www.sec.gov/edgar/thirteenffiler" xmlns:ns1="x">
<schemaVersion>X0202</schemaVersion>
<headerData><submissionType>13F-HR</submissionType><filerInfo><filer><credentials>
<cik>0009990021</cik></credentials></filer></filerInfo></headerData>
<formData><coverPage><reportCalendarOrQuarter>{period}</reportCalendarOrQuarter>
{amended if amendment else ""}<filingManager><name>Heron Capital LLC</name></filingManager>
<reportType>{report}</reportType>{more}</coverPage>
<signatureBlock><name>Fern Ada</name></signatureBlock>
<summaryPage><otherIncludedManagersCount>1</otherIncludedManagersCount>
<tableEntryTotal>{entries}</tableEntryTotal><tableValueTotal>{total}</tableValueTotal>
<otherManagers2Info><otherManager2><sequenceNumber>1</sequenceNumber><otherManager>
<form13FFileNumber>28-1</form13FFileNumber><name>Bittern &amp; Co</name></otherManager>
</otherManager2></otherManagers2Info></summaryPage></formData></edgarSubmission>
"""


def row_13f(
    issuer: str = "MOSS &amp; SONS",
    cusip: str = "999000101",
    value: str = "4000",
    shares: str = "40",
    more: str = "",
) -> str:
    """Return a row of an information table, of shares unless `more` says otherwise."""
    return f"""<ns1:infoTable><ns1:nameOfIssuer>{issuer}</ns1:nameOfIssuer>
<ns1:titleOfClass>COM</ns1:titleOfClass><ns1:cusip>{cusip}</ns1:cusip>
<ns1:value>{value}</ns1:value><ns1:shrsOrPrnAmt><ns1:sshPrnamt>{shares}</ns1:sshPrnamt>
<ns1:sshPrnamtType>SH</ns1:sshPrnamtType></ns1:shrsOrPrnAmt>{more}
<ns1:investmentDiscretion>DFND</ns1:investmentDiscretion><ns1:otherManager>1,2</ns1:otherManager>
<ns1:votingAuthority><ns1:Sole>{shares}</ns1:Sole><ns1:Shared>0</ns1:Shared><ns1:None>0</ns1:None>
</ns1:votingAuthority></ns1:infoTable>
"""


def table_13f(*rows: str) -> str:
    """Return the information table of a report on Form 13F."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ns1:informationTable xmlns:ns1="http://www.sec.gov/edgar/document/thirteenf/informationtable">
{"".join(rows)}</ns1:informationTable>
"""


# A document for each kind of rows.
FORMS = (
    MadeUpDocument(FORM_4, "4", "form4.xml"),
    MadeUpDocument(SCHEDULE_13D, "SCHEDULE 13D/A", "schedule.xml"),
    MadeUpDocument(FORM_144, "144", "form144.xml"),
    MadeUpDocument(cover_13f(1, 4000), "13F-HR", "primary_doc.xml"),
    MadeUpDocument(table_13f(row_13f()), "INFORMATION TABLE", "table.xml"),
)
