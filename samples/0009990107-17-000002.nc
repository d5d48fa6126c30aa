<SUBMISSION>
<ACCESSION-NUMBER>0009990107-17-000002
<TYPE>SC 13G
<PUBLIC-DOCUMENT-COUNT>1
<FILING-DATE>20170213
<DATE-OF-FILING-DATE-CHANGE>20170213
<SUBJECT-COMPANY>
<COMPANY-DATA>
<CONFORMED-NAME>MARZIPAN THERAPEUTICS, INC.
<CIK>0009990106
<ASSIGNED-SIC>2834
<IRS-NUMBER>999010106
<STATE-OF-INCORPORATION>DE
<FISCAL-YEAR-END>1231
</COMPANY-DATA>
<FILING-VALUES>
<FORM-TYPE>SC 13G
<ACT>34
<FILE-NUMBER>005-99106
<FILM-NUMBER>17990044
</FILING-VALUES>
<BUSINESS-ADDRESS>
<STREET1>9 ALMOND GROVE
<STREET2>BUILDING B
<CITY>SUGARLOAF
<STATE>MA
<ZIP>02999
<PHONE>6175550106
</BUSINESS-ADDRESS>
<FORMER-COMPANY>
<FORMER-CONFORMED-NAME>NOUGAT BIOLOGICS, INC.
<DATE-CHANGED>20110302
</FORMER-COMPANY>
</SUBJECT-COMPANY>
<FILED-BY>
<COMPANY-DATA>
<CONFORMED-NAME>LANTERN & THREAD CAPITAL LP
<CIK>0009990107
<IRS-NUMBER>999010107
<STATE-OF-INCORPORATION>DE
<FISCAL-YEAR-END>1231
</COMPANY-DATA>
<FILING-VALUES>
<FORM-TYPE>SC 13G
</FILING-VALUES>
<BUSINESS-ADDRESS>
<STREET1>5 CANDLEMAKER ROW
<STREET2>FLOOR 3
<CITY>NEW SPINDLE
<STATE>CT
<ZIP>06999
<PHONE>2035550107
</BUSINESS-ADDRESS>
</FILED-BY>
<DOCUMENT>
<TYPE>SC 13G
<SEQUENCE>1
<FILENAME>sc13g-mrzp.htm
<DESCRIPTION>SCHEDULE 13G
<TEXT>
<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html>
<head>
<title>Schedule 13G</title>
</head>
<body>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">SCHEDULE 13G</span></div>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">Under the Securities Exchange Act of 1934</span></div>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">(Amendment No. )</span></div>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">MARZIPAN THERAPEUTICS, INC.</span></div>
<div style="text-align:center"><span style="font-size:10pt;font-weight:700">Common Stock, par value $0.001 per share</span></div>
<table style="border-collapse:collapse;width:100%">
<tr><td style="text-align:left"><span style="font-size:9pt">1. Name of reporting person</span></td><td style="text-align:right"><span style="font-size:9pt">Lantern &amp; Thread Capital LP</span></td></tr>
<tr><td style="text-align:left"><span style="font-size:9pt">4. Place of organization</span></td><td style="text-align:right"><span style="font-size:9pt">Delaware</span></td></tr>
<tr><td style="text-align:left"><span style="font-size:9pt">5. Sole voting power</span></td><td style="text-align:right"><span style="font-size:9pt">0</span></td></tr>
<tr><td style="text-align:left"><span style="font-size:9pt">6. Shared voting power</span></td><td style="text-align:right"><span style="font-size:9pt">2,410,000</span></td></tr>
<tr><td style="text-align:left"><span style="font-size:9pt">8. Shared dispositive power</span></td><td style="text-align:right"><span style="font-size:9pt">2,410,000</span></td></tr>
<tr><td style="text-align:left"><span style="font-size:9pt">9. Aggregate amount beneficially owned</span></td><td style="text-align:right"><span style="font-size:9pt">2,410,000</span></td></tr>
<tr><td style="text-align:left"><span style="font-size:9pt">11. Percent of class</span></td><td style="text-align:right"><span style="font-size:9pt">7.9%</span></td></tr>
<tr><td style="text-align:left"><span style="font-size:9pt">12. Type of reporting person</span></td><td style="text-align:right"><span style="font-size:9pt">IA, PN</span></td></tr>
</table>
<div style="margin-top:12pt"><span style="font-size:10pt;font-weight:700">Item 10. Certification</span></div>
<div style="text-indent:18pt;margin-bottom:6pt"><span style="font-size:10pt">By signing below we certify that the securities referred to above were acquired and are held in the ordinary course of business, and not with the purpose or the effect of changing or influencing the control of the issuer.</span></div>
<div style="text-indent:18pt;margin-bottom:6pt"><span style="font-size:10pt">February 13, 2017. LANTERN &amp; THREAD CAPITAL LP, /s/ Silas Wick, Managing Partner</span></div>
</body>
</html>
</TEXT>
</DOCUMENT>
</SUBMISSION>
