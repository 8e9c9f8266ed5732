"""Quantities with units, formulas, a curated table of chemicals, and stocks."""
