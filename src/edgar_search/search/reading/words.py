"""Words of questions: fillers, form types by their names, given names."""

from collections.abc import Mapping

from edgar_search.edgar.form_types import FAMILIES, form_types, is_ordinary, same_forms

# Filler words anywhere in a question.
_FUNCTION_WORDS = """
a about after against all also an and any are as at be because been before being between but by
can could did do does during for from had has have he her his how i if in into is it its me my of
on or our she should so some such than that the their them then there these they this those
through to under until was we were what when where which while who whom whose why will with would
you your
"""
# Words that begin a question, up to the first word of another kind.
_ASKING_WORDS = """
answer assume briefly calculate compare compute define describe determine discuss examine explain
find get give identify interested know let like list look looking much many need please provide
query question respond retrieve search see show state summarise summarize tell understand want
"""
# Beginnings of sentences that say how to answer, after the one that asks.
_INSTRUCTING_WORDS = """
answer assume calculate cite express give if please provide quote reply report respond return round
show state use
"""
# Words that are searched, but say nothing about the subject unless a text contains others too.
_LITTLE_WORDS = """
above across actually again already always among around away back below big bigger biggest company
companies corporation corporations currently different each else end ended ending especially ever
every far few fewer first five four further generally gave get gets getting give given gives giving
go goes going gone good got great happen happened happening happens here however including instead
just keep keeps kept kind kinds largely last later least less made mainly make makes making many
mean means month months more most mostly much near never new next nine now often old once one ones
only other others out outside over own part parts per put quarter quarters quite rather really
recent recently same second seven several since six sort still take taken takes taking ten third
three today together too took toward towards two upon used using various via way ways week weeks
well went whether within without year years yet
"""
SAYS_NOTHING = frozenset(_FUNCTION_WORDS.split())
SAYS_LITTLE = frozenset(_LITTLE_WORDS.split())
ASKS = frozenset(_ASKING_WORDS.split())
INSTRUCTS = frozenset(_INSTRUCTING_WORDS.split())

# Root forms by their popular names; a name of several words matches in any case.
_FORMS = """
10-K: 10-k, 10k, 10-ks, 10ks, form 10-k
20-F: 20-f, 20f, form 20-f
40-F: 40-f, 40f, form 40-f
10-Q: 10-q, 10q, 10-qs, 10qs, form 10-q
8-K: 8-k, 8k, 8-ks, 8ks, form 8-k
6-K: 6-k, 6k, form 6-k
DEF 14A: def 14a, def14a, proxy statement, proxy statements, proxy
DEFM14A: defm14a, merger proxy
S-1: s-1, form s-1
S-3: s-3, form s-3
S-4: s-4, form s-4
S-8: s-8, form s-8
11-K: 11-k, form 11-k
3: form 3
4: form 4
144: form 144
SC 13D: 13d, sc 13d, schedule 13d
SC 13G: 13g, sc 13g, schedule 13g
13F-HR: 13f, 13f-hr, form 13f
NPORT-P: n-port, nport-p
SD: form sd, conflict minerals report
"""
# The shortest form name without punctuation: S1 and F1 may be anything.
_SHORTEST = 4


def _forms() -> Mapping[str, tuple[str, ...]]:
    lines = (line.split(": ") for line in _FORMS.strip().splitlines())
    forms_by_name = {
        name: same_forms(form) for form, listed in lines for name in listed.split(", ")
    }
    for name, forms in FAMILIES.items():
        forms_by_name[name] = forms_by_name[f"{name}s"] = forms
    for form in form_types():
        if not is_ordinary(form):
            written = form.lower()
            for name in (written, f"form {written}", written.replace("-", "").replace(" ", "")):
                if len(name) >= _SHORTEST or name == written:
                    forms_by_name.setdefault(name, same_forms(form))
    return forms_by_name


FORMS_BY_NAME = _forms()

# Given names, each line with its short forms.
_GIVEN_NAMES = """
abigail abby gail
alan al allan allen
albert al bert
alexander alex
alfred al fred
amy
andrew andy drew
angela angie
anne ann anna annie
anthony tony
arthur art
barbara barb
benjamin ben
bernard bernie
brian bryan
carol caroline carolyn
catherine cathy kate katherine kathryn kathy
charles charlie chuck
christine chris christina
christopher chris
craig
cynthia cindy
daniel dan danny
david dave
deborah deb debbie debra
dennis denny
diane diana
donald don
dorothy dot
douglas doug
edward ed eddie ted
elaine
elizabeth beth betsy liz
elon
emily
eric erik
eugene gene
frances fran
francis frank
franklin frank
frederick fred freddie
gary
geoffrey geoff
george
gerald gerry jerry
gregory greg
harold hal harry
heather
helen
henry hank harry
howard
indra
jacob jake
james jamie jim jimmy
janet jan
jason
jeffrey jeff
jennifer jen jenny
jensen
jeremy
jessica jess
joan
joel
john jack johnny
jonathan jon
joseph joe
joshua josh
judith judy
julie julia
karen
keith
kenneth ken kenny
kevin
kimberly kim
larry lawrence
laura
leonard len leo
linda
lisa
louis lou lewis
margaret maggie meg peggy
maria mary
mark marc
martha
martin marty
matthew matt
meredith
michael mike mick
michelle
mitchell mitch
nancy
nathan nate nathaniel
nicholas nick
nicole
pamela pam
patricia pat patty
patrick pat
paul
peter pete
philip phil phillip
rachel
ralph
raymond ray
rebecca becky
richard dick rich rick
robert bob bobby rob
robin
roger
ronald ron
roy
russell russ
ruth
ryan
samuel sam
sandra sandy
sarah sara
satya
scott
sharon
sheryl
stephen stephan steve steven
stuart stewart
sundar
susan sue suzanne
teresa terry theresa
terrence terence terry
theodore ted
thomas tom tommy
timothy tim
todd
victoria vicky
vincent vince
virginia ginny
walter walt
warren
wayne
wendy
william bill billy will
zachary zach
"""


def _given_names() -> Mapping[str, frozenset[str]]:
    groups = [frozenset(line.split()) for line in _GIVEN_NAMES.strip().splitlines()]
    names = sorted(frozenset().union(*groups))
    return {
        name: frozenset().union(*(group for group in groups if name in group)) for name in names
    }


# Each given name with all its written forms, including itself.
GIVEN_NAMES = _given_names()
