"""Bearer tokens: OpenID Connect ID tokens, and the keys that they are checked with."""
