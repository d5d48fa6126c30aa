"""One submission to what will be stored of it; pure, in processes that can be ended."""
