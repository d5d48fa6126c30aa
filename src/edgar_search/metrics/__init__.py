"""What a process says of itself: figures for Prometheus, and what is known of one request."""
