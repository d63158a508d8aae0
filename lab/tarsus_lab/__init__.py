"""Reproduction of published tables, benchmarks and studies with Tarsus.

`tarsus` does not import this package. Its commands `tarsus reproduce` and `tarsus bench`, and the
commands of the Virtual Erector Set in the studio, are found through entry points.
"""
