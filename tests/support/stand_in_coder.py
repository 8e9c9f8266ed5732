"""Stands in for claude, codex and opencode: the same arguments and streams, for the task of `small_task`.

``python stand_in_coder.py <program> <arguments>``, run in a workspace. It refuses arguments that the real program
would not take, finds its instructions by the message, adds the numbers of the prompt's data block, writes the files
and speaks the program's stream. ``inputs/mode.txt`` says how it misbehaves.
"""

import json
import os
import re
import socket
import sys
import time
from pathlib import Path

FORMS = {
    "claude": r"-p (?P<m>.+) --output-format stream-json --verbose --permission-mode bypassPermissions"
    r"(?: --model (\S+))?",
    "codex": r"exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox"
    r"(?: --model (\S+))? (?P<m>.+)",
    "opencode": r"run --format json(?: --model (\S+))? (?P<m>.+)",
}


def say(value):
    print(json.dumps(value), flush=True)


def step(program, command, tokens):
    if program == "claude":
        use = {"type": "tool_use", "name": "Bash", "input": {"command": command}}
        usage = {"input_tokens": tokens - 10, "cache_read_input_tokens": 5, "output_tokens": 5}
        say({"type": "assistant", "message": {"content": [{"type": "text", "text": "..."}, use], "usage": usage}})
        say({"type": "user", "message": {"content": [{"type": "tool_result"}]}})
    elif program == "codex":
        say({"type": "item.completed", "item": {"id": "1", "type": "command_execution", "command": command}})
        say(
            {
                "type": "turn.completed",
                "usage": {"input_tokens": tokens - 5, "cached_input_tokens": 5, "output_tokens": 5},
            }
        )
    else:
        say({"type": "tool_use", "part": {"type": "tool", "tool": "bash", "state": {"input": {"command": command}}}})
        spent = {"input": tokens - 10, "output": 5, "reasoning": 0, "cache": {"read": 5, "write": 0}}
        say({"type": "step_finish", "part": {"type": "step-finish", "cost": 0.25, "tokens": spent}})


def end(program, steps, tokens, error=""):
    if program == "claude":
        usage = {
            "input_tokens": steps * (tokens - 10),
            "cache_read_input_tokens": steps * 5,
            "output_tokens": steps * 5,
        }
        result = {"type": "result", "subtype": "success", "is_error": bool(error), "result": error or "done"}
        say({**result, "num_turns": steps, "total_cost_usd": 0.25 * steps, "usage": usage})
    elif error and program == "codex":
        say({"type": "turn.failed", "error": {"message": error}})
    elif error:
        say({"type": "error", "error": {"name": "APIError", "data": {"message": error}}})


def interfaces():
    try:
        return sorted(name for _, name in socket.if_nameindex())
    except OSError:
        return []


def main():
    program, arguments = sys.argv[1], " ".join(sys.argv[2:])
    form = re.fullmatch(FORMS[program], arguments, re.S)
    if form is None:
        sys.exit(f"error: unexpected argument in: {arguments}")
    said = Path(re.search(r"file (\S+) of", form["m"])[1]).read_text()
    mode = Path("inputs/mode.txt").read_text().strip() if Path("inputs/mode.txt").exists() else ""
    if program == "claude":
        say({"type": "system", "subtype": "init", "tools": ["Bash"]})
    print("a line that is no JSON", flush=True)
    sentence = json.loads(re.search(r'<data name="sentence">\n(.*?)\n</data>', said, re.S)[1])
    numbers = [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", sentence)]
    if mode == "offline":
        end(program, 1, 100, "fetch failed: network is unreachable")
        sys.exit(1)
    if mode == "hang":
        time.sleep(60)
    if mode == "spend":
        for _ in range(1000):
            step(program, "think", 1000)
            time.sleep(0.05)
    if mode == "look":
        Path("out").mkdir(exist_ok=True)
        asked = Path("inputs/paths.txt").read_text().split() if Path("inputs/paths.txt").exists() else []
        there = [path for path in asked if Path(path).exists()]
        seen = {"environment": dict(os.environ), "there": there, "interfaces": interfaces()}
        Path("out/seen.json").write_text(json.dumps(seen))
    total = sum(numbers) + (1 if mode == "wrong" and "cannot be used" not in said else 0)
    step(program, "python add.py", 100)
    Path("out").mkdir(exist_ok=True)
    Path("out/sum.txt").write_text(f"{total:g}\n")
    Path("tools/double.py").write_text("spoilt")
    step(program, "cat out/sum.txt", 100)
    if mode != "silent":
        reply = {"answer": {"numbers": numbers, "total": sum(numbers)}, "question": None, "refusal": None}
        Path("answer.json").write_text(json.dumps(reply))
    end(program, 2, 100)


main()
