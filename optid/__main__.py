"""``python -m optid`` is the command line."""

from optid.cli import main

if __name__ == "__main__":
    main()
