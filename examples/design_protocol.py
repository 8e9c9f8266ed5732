"""Turn a written protocol into a checked one, and print what goes into every vial."""

import labwright

PROTOCOL = """
system: protocol_design
title: Imines of benzaldehyde
chemicals: [{name: benzaldehyde}, {name: aniline}, {name: ethanol}]
groups:
  - factors: [{name: ratio, levels: [1, 1.5, 2]}]
    doses:
      - {substance: benzaldehyde, kind: moles, amount: 0.5 mmol}
      - {substance: aniline, kind: equivalents, factor: ratio, reference: benzaldehyde}
      - {substance: ethanol, kind: remainder}
    total_volume: 2 mL
conditions:
  - {kind: heat, by: stir, speed: 500 rpm, temperature: 60 degC, time: 16 h}
  - {kind: cool}
"""


def main() -> None:
    outcome = labwright.design(PROTOCOL)
    print(f"{outcome.status}: {outcome.run_dir / outcome.result['xml']}")
    for decision in outcome.result["decisions"]:
        print(f"settled: {decision}")
    for vial in outcome.result["vials"]:
        contents = ", ".join(f"{item['amount']:g} {item['unit']} {name}" for name, item in vial["contents"].items())
        print(f"{vial['plate']} {vial['well']}: {contents}")


if __name__ == "__main__":
    main()
