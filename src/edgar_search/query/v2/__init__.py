"""Parameters of Version 2, and the bodies that they become; pure."""
