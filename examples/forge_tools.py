"""Compute a card with tools that were forged before, and see which were used and what was checked."""

import labwright

CARD = """
system: tool_forging
task: circuit
title: Correlations of a Bell pair
qubits: 2
gates: [h 0, cx 0 1]
observables: [ZZ, XX]
sampled: false
"""


def main() -> None:
    outcome = labwright.forge(CARD)
    print(f"{outcome.status}: {outcome.run_dir / 'report.md'}")
    print(f"used: {', '.join(outcome.result['tools_used'])}")
    for statement in outcome.result["criteria"]:
        print(f"{'holds' if statement['passed'] else 'fails'}: {statement['message']}")


if __name__ == "__main__":
    main()
