"""Support for tests: made-up submissions, imitations of other servers, the engine."""
