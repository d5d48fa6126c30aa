"""HTML that is made to be slow to read, or to be read wrongly; all of its words are "moss"."""

NESTED = "<table><tr><td>moss<table><tr><td>moss<table><tr><td>moss<td>17</table></table></table>"

HOSTILE_HTML = [
    "<b>" * 100_000 + "moss",
    "<div>moss" * 100_000,
    "<table><tr><td>" * 30_000 + "moss",
    NESTED * 1_000,
    "<p title=it's>" * 50_000 + "moss",
    '<p a="' * 50_000 + ">moss",
    "<!--" * 100_000 + "moss",
    "<table><tr>" + "<td colspan=65534>moss" * 10_000,
    "<table>" + "<tr><td rowspan=65534>moss<td>17" * 5_000,
    "<table><tr>" + "<td>moss</td>" * 10_000 + "<tr>" + "<td>17</td>" * 10_000,
    "<html><body>moss</body></html>" * 10_000,
    "<p>moss<td>moss<li>moss<b>moss<div>moss" * 5_000,
    "&amp;" * 100_000,
    "e" + "\u0301" * 50_000,
    "...." * 100_000 + "moss",
]
