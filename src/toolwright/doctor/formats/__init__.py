"""Forms in which a report is written."""
