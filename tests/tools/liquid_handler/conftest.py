"""Designs whose every amount can be worked out on paper."""

from __future__ import annotations

import pytest
from designs import read_design

from labwright.tools.liquid_handler.experiment_design import ExperimentDesign

# 1 mg/mL stock; 10, 50 and 100 ug/mL in 2 mL: 20, 100 and 200 uL of stock, methanol to 2000 uL.
CALIBRATION = """
title: caffeine calibration
chemicals: [{name: caffeine}, {name: methanol}]
stocks: [{name: caffeine stock, solute: caffeine, solvent: methanol, concentration: 1 mg/mL, basis: w/v}]
groups:
- factors: [{name: level, levels: [10 ug/mL, 50 ug/mL, 100 ug/mL]}]
  doses:
  - {substance: caffeine, kind: fraction, factor: level, via: caffeine stock}
  - {substance: methanol, kind: remainder}
  total_volume: 2 mL
  replicates: 2
conditions: [{kind: mix, by: vortex, time: 10 min}]
"""
# 1 mL: 0.1 and 0.2 M from 1 M is 100 and 200 uL; 50 and 100 mM from 0.5 M is 100 and 200 uL; water fills up.
CROSS = """
title: two stocks
chemicals: [{name: sodium chloride}, {name: glucose}, {name: water}]
stocks:
- {name: brine, solute: sodium chloride, solvent: water, concentration: 1 M, basis: M}
- {name: sugar, solute: glucose, solvent: water, concentration: 0.5 M, basis: M}
groups:
- factors: [{name: salt, levels: [0.1 M, 0.2 M]}, {name: sweet, levels: [50 mM, 100 mM]}]
  doses:
  - {substance: sodium chloride, kind: molarity, factor: salt, via: brine}
  - {substance: glucose, kind: molarity, factor: sweet, via: sugar}
  - {substance: water, kind: remainder}
  total_volume: 1 mL
"""
# 28 % w/w at 0.90 g/mL is 252 g/L; 3 M in 1 mL is 3 x 17.031 mg = 51.093 mg = 202.75 uL.
# 0.5 mmol benzaldehyde: 0.5 x 106.124 mg / 1.044 = 50.826 uL.
AMMONIA = """
title: imines
chemicals: [{name: benzaldehyde}, {name: ammonia}, {name: water}]
stocks: [{name: strong ammonia, solute: ammonia, solvent: water, concentration: 28 %, basis: w/w}]
groups:
- factors: [{name: loading, levels: [3 M, 9 M]}]
  doses:
  - {substance: benzaldehyde, kind: moles, amount: 0.5 mmol}
  - {substance: ammonia, kind: molarity, factor: loading, via: strong ammonia}
  - {substance: water, kind: remainder}
  total_volume: 1 mL
conditions: [{kind: heat, by: stir, temperature: 60 degC, time: 16 h}]
"""
# 4 M in all, 1:1, in 2 mL: 4 mmol each. Acetic acid 240.208 mg / 1.0446 = 229.95 uL, ethanol 184.276 / 0.7893 = 233.47.
ESTER = """
title: ester with work-up
chemicals: [{name: ethanol}, {name: acetic acid}, {name: benzoic acid}, {name: sulfuric acid}, {name: water}]
stocks: [{name: catalyst, solute: sulfuric acid, solvent: water, concentration: 0.5 M, basis: M}]
groups:
- factors: [{name: acid, chemicals: [acetic acid, benzoic acid]}, {name: ratio, levels: [1, 3]}]
  constraints: [{when: {acid: [benzoic acid]}, only: {ratio: ["1"]}}]
  doses:
  - {substance: ethanol, kind: share, amount: 4 M, parts_factor: ratio}
  - {substance: acid, kind: share, amount: 4 M, parts: 1}
  - {substance: sulfuric acid, kind: molarity, amount: 0.025 M, via: catalyst}
  - {substance: water, kind: remainder}
  total_volume: 2 mL
conditions: [{kind: heat, by: stir, temperature: 80 degC, time: 30 min}, {kind: cool}]
workup: {factor: 10, total_volume: 1 mL, diluent: water, conditions: [{kind: mix, time: 20 min}]}
"""
TIMED = """
title: time course
chemicals: [{name: ethanol}, {name: acetic acid}, {name: water}]
groups:
- factors: [{name: minutes, levels: [15 min, 1 h]}]
  doses:
  - {substance: ethanol, kind: volume, amount: 300 uL}
  - {substance: acetic acid, kind: equivalents, amount: 2 equiv, reference: ethanol}
  - {substance: water, kind: remainder}
  total_volume: 2 mL
conditions: [{kind: heat, temperature: 80 degC, time_factor: minutes}]
"""
TEXTS = {"calibration": CALIBRATION, "cross": CROSS, "ammonia": AMMONIA, "ester": ESTER, "timed": TIMED}


@pytest.fixture(scope="session")
def designs() -> dict[str, ExperimentDesign]:
    """Every design of this file, read."""
    return {name: read_design(text) for name, text in TEXTS.items()}


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    """Their YAML."""
    return TEXTS
