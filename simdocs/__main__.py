"""`python -m simdocs`, the same as `simdocs`."""

from simdocs.cli import console

if __name__ == "__main__":
    console()
