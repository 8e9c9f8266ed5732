"""Search a feature map for a data set of your own, and print it beside the RBF kernel."""

import numpy as np

import labwright


def main() -> None:
    random = np.random.default_rng(0)
    y = np.arange(150) % 3
    samples = random.normal(size=(3, 6))[y] + random.normal(size=(150, 6))
    np.savez("clouds.npz", X=samples, y=y)
    outcome = labwright.search(
        "clouds.npz", trials=2, qubits=3, features=6, baselines=("linear", "rbf_default"), on_event=show
    )
    result = outcome.result
    print(f"{outcome.status}: {outcome.run_dir / 'feature_map.py'}")
    print(f"{result['feature_map']['name']:30} {result['test_accuracy']:.3f}")
    for name, kernel in result["baselines"].items():
        print(f"{name:30} {kernel['test_accuracy']:.3f}")


def show(event: dict[str, object]) -> None:
    if event["kind"] == "tried":
        print(f"trial {event['trial']}: {event['name']} {event['outcome']}, selection score {event['selection']}")


if __name__ == "__main__":
    main()
