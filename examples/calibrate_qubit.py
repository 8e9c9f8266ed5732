"""Calibrate one qubit of the simulated processor from one sentence, and print what changed."""

import labwright


def main() -> None:
    outcome = labwright.calibrate(
        "Calibrate qubit Q2",
        seed=7,
        device_options={"frequency_offset": -0.8, "amplitude_error": 0.1},
        on_event=show,
    )
    print(f"{outcome.status}: {outcome.run_dir / 'report.md'}")
    entry = outcome.result["qubits"]["Q2"]
    for name, value in entry["after"].items():
        if value != entry["before"][name]:
            print(f"{name:20} {entry['before'][name]:12.5f} -> {value:12.5f}")


def show(event: dict[str, object]) -> None:
    if event["kind"] == "decided":
        print(f"{event['stage']}: {event['reason']}")


if __name__ == "__main__":
    main()
