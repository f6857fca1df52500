"""Builds the field tables of ``trainers/fields`` from dumps of the trainers' dataclasses and argument parsers."""
