"""Ownership forms of companies and persons that do not exist."""

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
