"""`python -m simdocs`, the same as `simdocs`."""

from simdocs.cli import main

if __name__ == "__main__":
    main()
