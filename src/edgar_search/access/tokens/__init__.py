"""Bearer tokens: OpenID Connect ID tokens, and the keys that verify them."""
