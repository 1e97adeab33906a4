"""``python -m sim`` is `baobei`."""

from sim.cli import main

if __name__ == "__main__":
    main()
