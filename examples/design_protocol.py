"""Turn a written protocol into a checked one, and print what goes into every vial."""

import labwright

PROTOCOL = """
system: protocol_design
title: Conductivity of three salts
chemicals: [{name: sodium chloride}, {name: potassium chloride}, {name: magnesium sulfate}, {name: water}]
groups:
  - factors:
      - {name: salt, chemicals: [sodium chloride, potassium chloride, magnesium sulfate]}
      - {name: strength, levels: [10 mM, 50 mM, 0.1 M]}
    doses:
      - {substance: salt, kind: molarity, factor: strength}
      - {substance: water, kind: remainder}
    total_volume: 4 mL
conditions:
  - {kind: mix, by: stir, speed: 500 rpm, time: 10 min, temperature: 30 degC}
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
