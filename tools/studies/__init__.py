"""The studies behind data/results: `python -m tools.studies.NAME` runs one, from the root of the project.

What they share stands in `tools.studies.runner`.  Seconds are CPU seconds of one thread, and the libraries of
linear algebra read how many threads they may use when NumPy is imported: so that is said here, before.
"""
import os

for library in ('OMP', 'OPENBLAS'): os.environ.setdefault(f'{library}_NUM_THREADS', '1')
