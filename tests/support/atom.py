"""The schema of Atom feeds of RFC 4287, in RELAX NG, without elements of other namespaces."""

from lxml import etree

_PERSON = """
<define name="person"><interleave>
  <element name="name"><text/></element>
  <optional><element name="uri"><data type="anyURI"/></element></optional>
  <optional><element name="email"><data type="string">
    <param name="pattern">.+@.+</param></data></element></optional>
</interleave></define>
"""
_PARTS = """
<define name="date"><data type="dateTime">
  <param name="pattern">.+T.+(Z|[+\\-]\\d\\d:\\d\\d)</param></data></define>
<define name="iri"><data type="anyURI"><param name="minLength">1</param></data></define>
<define name="words">
  <optional><attribute name="type">
    <choice><value>text</value><value>html</value></choice></attribute></optional><text/>
</define>
<define name="id"><element name="id"><ref name="iri"/></element></define>
<define name="title"><element name="title"><ref name="words"/></element></define>
<define name="updated"><element name="updated"><ref name="date"/></element></define>
<define name="author"><element name="author"><ref name="person"/></element></define>
<define name="contributor"><element name="contributor"><ref name="person"/></element></define>
<define name="rights"><element name="rights"><ref name="words"/></element></define>
<define name="category"><element name="category">
  <attribute name="term"/>
  <optional><attribute name="scheme"><ref name="iri"/></attribute></optional>
  <optional><attribute name="label"/></optional>
</element></define>
<define name="link"><element name="link">
  <attribute name="href"><ref name="iri"/></attribute>
  <optional><attribute name="rel"><data type="string"><param name="minLength">1</param></data>
  </attribute></optional>
  <optional><attribute name="type"><data type="string"><param name="pattern">.+/.+</param></data>
  </attribute></optional>
  <optional><attribute name="hreflang"/></optional>
  <optional><attribute name="title"/></optional>
  <optional><attribute name="length"/></optional>
</element></define>
"""
_ENTRY = """
<define name="entry"><element name="entry"><interleave>
  <zeroOrMore><ref name="author"/></zeroOrMore>
  <zeroOrMore><ref name="category"/></zeroOrMore>
  <optional><element name="content"><ref name="words"/></element></optional>
  <zeroOrMore><ref name="contributor"/></zeroOrMore>
  <ref name="id"/>
  <zeroOrMore><ref name="link"/></zeroOrMore>
  <optional><element name="published"><ref name="date"/></element></optional>
  <optional><ref name="rights"/></optional>
  <optional><element name="summary"><ref name="words"/></element></optional>
  <ref name="title"/>
  <ref name="updated"/>
</interleave></element></define>
"""
_FEED = """
<start><element name="feed"><group><interleave>
  <oneOrMore><ref name="author"/></oneOrMore>
  <zeroOrMore><ref name="category"/></zeroOrMore>
  <zeroOrMore><ref name="contributor"/></zeroOrMore>
  <optional><element name="generator"><text/></element></optional>
  <ref name="id"/>
  <zeroOrMore><ref name="link"/></zeroOrMore>
  <optional><ref name="rights"/></optional>
  <optional><element name="subtitle"><ref name="words"/></element></optional>
  <ref name="title"/>
  <ref name="updated"/>
</interleave><zeroOrMore><ref name="entry"/></zeroOrMore></group></element></start>
"""
_GRAMMAR = f"""<grammar xmlns="http://relaxng.org/ns/structure/1.0"
  ns="http://www.w3.org/2005/Atom"
  datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
{_FEED}{_ENTRY}{_PARTS}{_PERSON}</grammar>"""


def schema_errors(body: bytes) -> list[str]:
    """Return the faults that the schema finds in a feed; raises XMLSyntaxError if it is not XML."""
    schema = etree.RelaxNG(etree.fromstring(_GRAMMAR))
    schema.validate(etree.fromstring(body))
    return [str(each) for each in schema.error_log]
