"""The studies behind data/results: `python -m tools.studies.NAME` runs one, from the root of the project.

Seconds are CPU seconds of one thread: libraries of linear algebra read their threads when NumPy is imported.
"""
import os

for library in ('OMP', 'OPENBLAS'): os.environ.setdefault(f'{library}_NUM_THREADS', '1')
