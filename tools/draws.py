"How many cases the trials of the pages draw."
import os

def draws(few, many):
    "How many cases to draw: few in `make test`, which somebody waits for, many in `make test-long`."
    return many if os.environ.get('RULEBOOK_LONG') else few
