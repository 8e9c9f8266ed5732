"""Solve a task with tools that were forged before, and see which were used and what was checked."""

import labwright

TASK = """# Relaxation of a qubit

A qubit with H = 0.5 * Z starts in the state |0> and loses energy through C = sqrt(0.2) * sigmam().
Use QuTiP to compute the expectation value of Z from t = 0 to t = 15 in 60 steps under Lindblad evolution, and plot it.
"""


def main() -> None:
    outcome = labwright.forge(TASK, mode="reuse")  # begins with the tools that come with Labwright; makes none
    print(f"{outcome.status}: {outcome.run_dir / 'report.md'}")
    print(f"used: {', '.join(outcome.result['tools_used'])}")
    for statement in outcome.result["criteria"]:
        print(f"{'holds' if statement['passed'] else 'fails'}: {statement['message']}")


if __name__ == "__main__":
    main()
