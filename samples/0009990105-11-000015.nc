<SUBMISSION>
<ACCESSION-NUMBER>0009990105-11-000015
<TYPE>8-K
<PUBLIC-DOCUMENT-COUNT>1
<PERIOD>20110601
<ITEMS>8.01
<FILING-DATE>20110603
<DATE-OF-FILING-DATE-CHANGE>20110603
<FILER>
<COMPANY-DATA>
<CONFORMED-NAME>GANNET ROCK POWER CO
<CIK>0009990105
<ASSIGNED-SIC>4911
<IRS-NUMBER>999010105
<STATE-OF-INCORPORATION>WA
<FISCAL-YEAR-END>1231
</COMPANY-DATA>
<FILING-VALUES>
<FORM-TYPE>8-K
<ACT>34
<FILE-NUMBER>099-10105
<FILM-NUMBER>11990508
</FILING-VALUES>
<BUSINESS-ADDRESS>
<STREET1>300 LIGHTHOUSE ROAD
<CITY>GANNET ROCK
<STATE>WA
<ZIP>98999
<PHONE>3605550105
</BUSINESS-ADDRESS>
</FILER>
<DOCUMENT>
<TYPE>8-K
<SEQUENCE>1
<FILENAME>grp8k0611.htm
<DESCRIPTION>RATE ORDER
<TEXT>
<HTML>
<HEAD>
<TITLE>Gannet Rock Power 8-K</TITLE>
</HEAD>
<BODY BGCOLOR="#FFFFFF">
<P ALIGN="CENTER"><FONT SIZE="2"><B>FORM 8-K</B></FONT></P>
<P ALIGN="CENTER"><FONT SIZE="2"><B>Date of report: June 3, 2011</B></FONT></P>
<P ALIGN="CENTER"><FONT SIZE="2"><B>GANNET ROCK POWER CO</B></FONT></P>
<P><FONT SIZE="2"><B>Item 8.01 Other Events</B></FONT></P>
<P><FONT SIZE="2">On June 1, 2011 the state commission issued its order in the general rate case of Gannet Rock Power
Co. The order allows an increase of revenue of $18.6 million a year, or 4.6%, from July 1, 2011, and
a return on equity of 9.8%. The Company had asked for $31 million. The cost of the cable to Outer
Skerry may be recovered in full; the cost of smart meters only as they are installed.</FONT></P>
<P><FONT SIZE="2">The commission did not allow $4.1 million of the cost of the storm of December 2009, which the
Company will write off in the second quarter. The Company is considering whether to ask for a
rehearing.</FONT></P>
<P><FONT SIZE="2">/s/ Ottoline Skua, Secretary</FONT></P>
</BODY>
</HTML>
</TEXT>
</DOCUMENT>
</SUBMISSION>
