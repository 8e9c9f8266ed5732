"""Turn a description into a checked protocol, and print what goes into every vial."""

import labwright

WORDS = (
    "Each of three vials gets 0.5 mmol benzaldehyde and 1.0, 1.5 or 2.0 equivalents of aniline, with ethanol added to a"
    " total volume of 2 mL. Cap the vials, stir at 500 rpm and heat them to 60 degC overnight, then let them cool."
)


def main() -> None:
    outcome = labwright.design(WORDS, answers="defaults")
    print(f"{outcome.status}: {outcome.run_dir / outcome.result['xml']}")
    for assumption in outcome.result["assumptions"]:
        print(f"assumed: {assumption}")
    for vial in outcome.result["vials"]:
        contents = ", ".join(f"{item['amount']:g} {item['unit']} {name}" for name, item in vial["contents"].items())
        print(f"{vial['plate']} {vial['well']}: {contents}")


if __name__ == "__main__":
    main()
