<SUBMISSION>
<ACCESSION-NUMBER>0009990103-25-000008
<TYPE>8-K
<PUBLIC-DOCUMENT-COUNT>2
<PERIOD>20250317
<ITEMS>5.02
<ITEMS>7.01
<ITEMS>9.01
<FILING-DATE>20250317
<DATE-OF-FILING-DATE-CHANGE>20250317
<FILER>
<COMPANY-DATA>
<CONFORMED-NAME>SALTMARSH SAVINGS BANCORP INC /NC/
<CIK>0009990103
<ASSIGNED-SIC>6022
<ORGANIZATION-NAME>02 Finance
<IRS-NUMBER>999010103
<STATE-OF-INCORPORATION>NC
<FISCAL-YEAR-END>1231
</COMPANY-DATA>
<FILING-VALUES>
<FORM-TYPE>8-K
<ACT>34
<FILE-NUMBER>099-10103
<FILM-NUMBER>25990161
</FILING-VALUES>
<BUSINESS-ADDRESS>
<STREET1>12 TIDEWRACK STREET
<CITY>SALTMARSH
<STATE>NC
<ZIP>28999
<PHONE>9105550103
</BUSINESS-ADDRESS>
<MAIL-ADDRESS>
<STREET1>PO BOX 30
<CITY>SALTMARSH
<STATE>NC
<ZIP>28999
</MAIL-ADDRESS>
</FILER>
<DOCUMENT>
<TYPE>8-K
<SEQUENCE>1
<FILENAME>ssb8k0325.htm
<DESCRIPTION>8-K
<TEXT>
<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html>
<head>
<title>Saltmarsh 8-K</title>
</head>
<body>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">FORM 8-K</span></div>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">Date of report: March 17, 2025</span></div>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">SALTMARSH SAVINGS BANCORP INC</span></div>
<div style="margin-top:12pt"><span style="font-size:10pt;font-weight:700">Item 5.02 Departure of Directors or Certain Officers; Election of Directors</span></div>
<div style="text-indent:18pt;margin-bottom:6pt"><span style="font-size:10pt">Cordelia Tern will retire as president of Saltmarsh Savings Bancorp Inc and of the Bank on June 30, 2025, after twenty-six years. The board of directors has elected Marigold Sandpiper, now chief lending officer, as her successor. Ms. Sandpiper will be paid a salary of $520,000 and restricted shares of the value of $200,000 that vest over three years.</span></div>
<div style="margin-top:12pt"><span style="font-size:10pt;font-weight:700">Item 7.01 Regulation FD Disclosure</span></div>
<div style="text-indent:18pt;margin-bottom:6pt"><span style="font-size:10pt">The Company will present its plans for the merger of its two data centers at a conference on March 20, 2025. The slides are Exhibit 99.1.</span></div>
<div style="text-indent:18pt;margin-bottom:6pt"><span style="font-size:10pt">/s/ Cordelia Tern, March 17, 2025</span></div>
</body>
</html>
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>EX-99.1
<SEQUENCE>2
<FILENAME>ssbex991.htm
<DESCRIPTION>SLIDES
<TEXT>
<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html>
<head>
<title>Exhibit 99.1</title>
</head>
<body>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">EXHIBIT 99.1</span></div>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">ONE BANK, ONE DATA CENTER</span></div>
<div style="text-indent:18pt;margin-bottom:6pt"><span style="font-size:10pt">Two data centers become one by the end of 2025. Savings of $1.1 million a year are expected from 2026. Our interest rate swaps, loans and deposits stay where they are.</span></div>
</body>
</html>
</TEXT>
</DOCUMENT>
</SUBMISSION>
