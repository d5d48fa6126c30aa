"""Refusals that requests of every kind meet, each worded here once."""

NO_METHOD = {"error": "method not allowed"}
NO_PATH = {"error": "no such path"}
URI_TOO_LONG = {"error": "the URI has more than 32768 bytes"}
HEADERS_TOO_LONG = {"error": "the headers have more than 16384 bytes"}
BODY_TOO_LONG = {"error": "the body has more than 1048576 bytes"}
NO_UTF_8 = {"error": "the query string is not percent-encoded UTF-8"}
NO_HTTP = {"error": "the request is not valid HTTP; a URI is percent-encoded"}
INVALID_KEY = {"error": "Invalid API key", "status": 401}
NO_QUERY = "Missing query parameter"
