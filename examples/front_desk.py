"""Talk to the front desk from Python: one written request, its approval, and what it cost."""

from labwright.graphs.front_desk.conversation import Turn, open_conversation
from labwright.graphs.front_desk.workers import WORKERS
from labwright.graphs.questions import Answer

REQUEST = """
system: protocol_design
title: Standards of caffeine
chemicals: [{name: caffeine}, {name: water}]
stocks: [{name: stock, solute: caffeine, solvent: water, concentration: 10 mM}]
groups:
  - factors: [{name: level, levels: [0.1 mM, 0.2 mM, 0.5 mM]}]
    doses:
      - {substance: caffeine, kind: molarity, factor: level, via: stock}
      - {substance: water, kind: remainder}
    total_volume: 1 mL
"""


def main() -> None:
    with open_conversation() as desk:
        say(desk.say(REQUEST))
        WORKERS.wait()  # or go on talking: the run works in a thread of its own
        asked = desk.look()
        say(asked)
        if asked.question is not None:  # "Write the robot's file?"
            say(desk.answer(Answer(id=asked.question.id, decision="write")))
        WORKERS.wait()
        say(desk.look())
        say(desk.say("cost"))


def say(turn: Turn) -> None:
    for reply in turn.replies:
        print(reply["text"])
    if turn.question is not None:
        print(f"{turn.question.title} {[option.value for option in turn.question.options]}")


if __name__ == "__main__":
    main()
