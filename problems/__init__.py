"""Posed optimization problems: ``from optid.problems import Identification``."""

if __name__ != "optid.problems":
    raise ImportError(f"this folder was imported as {__name__!r}; write  import optid.problems  instead.")
