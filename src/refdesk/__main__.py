"""`python -m refdesk` is the command line."""

from refdesk.cli import main

if __name__ == "__main__":
    main()
