"""What tests share: made-up submissions, imitations of other servers, the engine."""
