"""Command lines with all that they print and write, recorded, and compared with what the program does now."""
