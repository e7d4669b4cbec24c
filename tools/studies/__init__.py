"""The studies behind data/results: python -m tools.studies.NAME runs one, from the root of the project."""
