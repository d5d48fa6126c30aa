"""Documents that are odd rather than slow: spans, nesting, encodings, numbers, entities."""

from collections.abc import Callable, Mapping

Made = Callable[[int], str]
_INLINE = (
    '<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" xmlns:x="http://www.xbrl.org/2003/instance">'
    '<body><ix:header><ix:resources><x:context id="c"><x:period><x:instant>2024-01-01</x:instant>'
    "</x:period></x:context></ix:resources></ix:header>"
)
_LAUGHS = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))


def _times(filler: str, before: str = "", behind: str = "") -> Made:
    return lambda length: before + filler * (length // len(filler)) + behind


def _number(text: str, attributes: str) -> str:
    return (
        f'<ix:nonFraction name="us-gaap:Assets" contextRef="c" unitRef="u" {attributes}>{text}'
        "</ix:nonFraction>"
    )


def _growing(length: int) -> str:
    rows = (f"<tr><td colspan={n}>1</td><td rowspan={n}>2</td></tr>" for n in range(length // 45))
    return f"<table>{''.join(rows)}</table>"


def _spaces(length: int) -> str:
    named = " ".join(f"xmlns:n{number}='u'" for number in range(length // 16))
    return f"<ownershipDocument {named}/>"


def _trade(shares: str, price: str) -> str:
    return (
        "<nonDerivativeTransaction><transactionAmounts>"
        f"<transactionShares><value>{shares}</value></transactionShares>"
        f"<transactionPricePerShare><value>{price}</value></transactionPricePerShare>"
        "</transactionAmounts></nonDerivativeTransaction>"
    )


ODD_HTML: Mapping[str, Made] = {
    "spans of a million": _times("<tr><td colspan=1000000 rowspan=1000000>1", "<table>"),
    "wide cells in wide cells": _times("<table><tr><td colspan=9999 rowspan=9999>"),
    "spans that grow": _growing,
    "spans that are no numbers": _times(
        "<tr><td colspan=-1 rowspan=99999999999999999999>1<td colspan=1e9>2", "<table>"
    ),
    "one cell": _times("1 ", "<table><tr><td>"),
    "one row": _times("<td>1", "<table><tr>"),
    "raised and lowered": _times("1<sup>1</sup><sub>2</sub>", "<p>"),
    "raised in raised": _times("1<sup>", "<p>"),
    "page breaks": _times("<hr style='page-break-after:always'><p>12</p>fern ", "<p>moss and "),
    "hyphens at ends": _times("<p>moss-</p>"),
    "hidden in hidden": _times("<div style='display:none'>"),
    "imports of styles": _times("@import url(a);", "<style>", "</style><p>moss"),
    "zero bytes and a mark of order": _times("\x00m\x00o", "\ufeff\x00<html><body>"),
    "directions": _times("\u202e\u200b\u2066moss\u2069", "<p>"),
    "marks on one letter": _times("\u0489", "<p>m"),
    "joined pictures": _times("\U0001f468\u200d", "<p>"),
    "foreign elements in each other": _times("<svg><math><mi><svg><style><p>moss"),
    "templates": _times("<template><table><tr>"),
    "scripts in attributes": _times("<noscript><p title='</noscript><img src=x onerror=a()>'>"),
    "one attribute many times": _times("id=a ", "<p ", ">moss"),
    "long references": _times(f"&{'a' * 200};", "<p>"),
    "references of no characters": _times(
        "&#99999999999999999;&#xFFFFFFFFFFFF;&#0;&#xD800;", "<p>"
    ),
    "numbers of huge scale": _times(
        _number("1", 'scale="999999999" decimals="-999999999"'), _INLINE
    ),
    "a number of many digits": _times(
        "9", f'{_INLINE}<ix:nonFraction name="a:b" contextRef="c" scale="6">', "</ix:nonFraction>"
    ),
    "numbers in numbers": _times("<ix:nonFraction name='a:b' contextRef='c' scale='6'>", _INLINE),
    "continuations in a circle": _times(
        "<ix:continuation id='a' continuedAt='a'>moss</ix:continuation>", _INLINE
    ),
    "numbers of no form": _times(_number("(1,2,3.4.5)-e99", 'format="x:y" sign="-"'), _INLINE),
}
ODD_TEXTS: Mapping[str, Made] = {
    "rulers": _times("-" * 70 + "\n"),
    "columns": _times("a      1      2      3      4\n"),
    "one line": _times("moss   "),
    "breaks of other kinds": _times("\f\v\x1c\x1d\x1e\x85"),
    "captions": _times("<CAPTION>\n<S> <C> <C>\n"),
    "tables over pages": _times("<TABLE><PAGE>\n a   1\n"),
    "encoded files": _times("M" + "a" * 60 + "\n", "begin 644 a\n"),
    "mail of privacy": _times("Proc-Type: 2001,MIC-CLEAR\n", "-----BEGIN PRIVACY-ENHANCED-----\n"),
    "tags of headers": _times("<TYPE>10-K\n<SEQUENCE>1\n<FILENAME>x\n"),
}
ODD_FORMS: Mapping[str, Made] = {
    "entities of entities": lambda _: (
        f"<!DOCTYPE a [<!ENTITY a0 'moss'>{_LAUGHS}]><ownershipDocument>&a9;</ownershipDocument>"
    ),
    "an entity of a file": lambda _: (
        "<!DOCTYPE a [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><ownershipDocument><remarks>&a;"
        "</remarks></ownershipDocument>"
    ),
    "deep elements": _times("<a>", "<ownershipDocument>"),
    "namespaces": _spaces,
    "trades of huge numbers": _times(
        _trade("1e999999999", "9e-99999999"),
        "<ownershipDocument><documentType>4</documentType><nonDerivativeTable>",
        "</nonDerivativeTable></ownershipDocument>",
    ),
}
