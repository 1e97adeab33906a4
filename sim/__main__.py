"""The program `baobei`, also as ``python -m sim``."""

import os


def start() -> None:
    """Run the command line of this process; Ctrl-C while its parts are imported ends it quietly."""
    try:
        from sim.cli import main

        main()
    except KeyboardInterrupt:
        os._exit(130)  # the interpreter itself would end by the signal


if __name__ == "__main__":
    start()
