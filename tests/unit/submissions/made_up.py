"""Submissions of companies that do not exist, in EDGAR's own format."""

ACCESSION = "0009990001-21-000042"
FILER = """\
FILER:

\tCOMPANY DATA:\t
\t\tCOMPANY CONFORMED NAME:\t\t\tMARBLE & MOSS CORP
\t\tCENTRAL INDEX KEY:\t\t\t0009990001
\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\tCUT STONE & STONE PRODUCTS [3281]
\t\tORGANIZATION NAME:           \t04 Manufacturing
\t\tIRS NUMBER:\t\t\t\t990000017
\t\tSTATE OF INCORPORATION:\t\t\tVT
\t\tFISCAL YEAR END:\t\t\t1231

\tFILING VALUES:
\t\tFORM TYPE:\t\t8-K
\t\tSEC ACT:\t\t1934 Act
\t\tSEC FILE NUMBER:\t099-00001
\t\tFILM NUMBER:\t\t21000001

\tBUSINESS ADDRESS:\t
\t\tSTREET 1:\t\t1 QUARRY ROAD
\t\tSTREET 2:\t\tSUITE 2
\t\tCITY:\t\t\tSTONEFIELD
\t\tSTATE:\t\t\tVT
\t\tZIP:\t\t\t05000
\t\tBUSINESS PHONE:\t\t8025550100

\tMAIL ADDRESS:\t
\t\tSTREET 1:\t\tPO BOX 3
\t\tCITY:\t\t\tSTONEFIELD

\tFORMER COMPANY:\t
\t\tFORMER CONFORMED NAME:\tMOSS CORP
\t\tDATE OF NAME CHANGE:\t20010203

\tFORMER COMPANY:\t
\t\tFORMER CONFORMED NAME:\tMARBLE INC
"""
LINES = f"""\
<ACCEPTANCE-DATETIME>20210104171500
ACCESSION NUMBER:\t\t{ACCESSION}
CONFORMED SUBMISSION TYPE:\t8-K
PUBLIC DOCUMENT COUNT:\t\t2
CONFORMED PERIOD OF REPORT:\t20201231
ITEM INFORMATION:\t\tOther Events
ITEM INFORMATION:\t\tFinancial Statements and Exhibits
FILED AS OF DATE:\t\t20210105
DATE AS OF CHANGE:\t\t20210105
"""
HEADER = f"{LINES}\n{FILER}"
TAGGED_HEADER = f"""\
<ACCESSION-NUMBER>{ACCESSION}
<TYPE>8-K
<PUBLIC-DOCUMENT-COUNT>2
<PERIOD>20201231
<ITEMS>8.01
<ITEMS>9.01
<FILING-DATE>20210105
<DATE-OF-FILING-DATE-CHANGE>20210105
<FILER>
<COMPANY-DATA>
<CONFORMED-NAME>MARBLE & MOSS CORP
<CIK>0009990001
<ASSIGNED-SIC>3281
<ORGANIZATION-NAME>04 Manufacturing
<IRS-NUMBER>990000017
<STATE-OF-INCORPORATION>VT
<FISCAL-YEAR-END>1231
</COMPANY-DATA>
<FILING-VALUES>
<FORM-TYPE>8-K
<ACT>34
<FILE-NUMBER>099-00001
<FILM-NUMBER>21000001
</FILING-VALUES>
<BUSINESS-ADDRESS>
<STREET1>1 QUARRY ROAD
<STREET2>SUITE 2
<CITY>STONEFIELD
<STATE>VT
<ZIP>05000
<PHONE>8025550100
</BUSINESS-ADDRESS>
<MAIL-ADDRESS>
<STREET1>PO BOX 3
<CITY>STONEFIELD
</MAIL-ADDRESS>
<FORMER-COMPANY>
<FORMER-CONFORMED-NAME>MOSS CORP
<DATE-CHANGED>20010203
</FORMER-COMPANY>
<FORMER-COMPANY>
<FORMER-CONFORMED-NAME>MARBLE INC
</FORMER-COMPANY>
</FILER>
"""


def document(
    body: str = "Quarries were bought.\n",
    form_type: str = "8-K",
    sequence: str = "1",
    file_name: str = "",
    description: str = "",
) -> str:
    """Return a <DOCUMENT>; a tag with an empty value is left out."""
    tags = {
        "TYPE": form_type,
        "SEQUENCE": sequence,
        "FILENAME": file_name,
        "DESCRIPTION": description,
    }
    lines = "".join(f"<{tag}>{value}\n" for tag, value in tags.items() if value)
    return f"<DOCUMENT>\n{lines}<TEXT>\n{body}</TEXT>\n</DOCUMENT>\n"


TWO = (
    document("<PAGE>\nQuarries were bought.\n", file_name="body.txt", description="REPORT"),
    document("Moss grows.\n", "EX-99.1", "2"),
)


def submission(*documents: str, header: str = HEADER) -> bytes:
    """Return a submission as the archive has it."""
    name = f"{ACCESSION}.txt : 20210105\n<SEC-HEADER>{ACCESSION}.hdr.sgml : 20210105\n"
    head = f"<SEC-DOCUMENT>{name}{header}</SEC-HEADER>\n"
    return (head + "".join(documents) + "</SEC-DOCUMENT>\n").encode()


def feed_submission(*documents: str, header: str = TAGGED_HEADER) -> bytes:
    """Return the same as the daily feed has it."""
    return f"<SUBMISSION>\n{header}{''.join(documents)}</SUBMISSION>\n".encode()


def old_submission(*documents: str, header: str = HEADER, kind: str = "IMS") -> bytes:
    """Return the same in the mail envelope of the 1990s."""
    data = submission(*documents, header=header).decode().replace("SEC-", f"{kind}-")
    return (
        "-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\n"
        "Originator-Name: keymaster@example.com\nOriginator-Key-Asymmetric:\n MFkwCgYEVQgB\n\n"
        f"{data}-----END PRIVACY-ENHANCED MESSAGE-----\n"
    ).encode()
