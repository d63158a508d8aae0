"""`python -m tarsus` is the `tarsus` command."""

from tarsus.cli import main

main()
