"""Forms N-CEN, N-PORT and N-PX: funds, their portfolios and their votes."""

from edgar_search.edgar import codes
from edgar_search.text.forms.elements import Element
from edgar_search.text.forms.families import Family, FormWriter


def _write_vote(writer: FormWriter, vote: Element) -> None:
    writer.write_row(vote, "Proxy vote")


FAMILY = Family(
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
