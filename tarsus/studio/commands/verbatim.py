"""The commands of the Virtual Erector Set, as they were (P. Schröder, MIT 1990, section 6.6)."""
