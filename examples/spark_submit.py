"""The program for spark-submit, which wants a file whose name ends in .py:

spark-submit --master local[2] spark_submit.py dedupe docs/ --engine spark -o near-duplicates.tsv
"""

from simdocs.cli import main

main()
