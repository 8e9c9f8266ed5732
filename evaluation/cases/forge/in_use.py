"""A script of a workspace that uses one tool in every way that a script may, and says where an answer was another one.

``judged.json`` beside it holds the tool's name, inputs, and what came of each when it was judged.
"""

import copy
import gc
import importlib
import json
import pickle
import random
import sys
import time
from pathlib import Path

import numpy as np

judged = json.loads(Path("judged.json").read_text())
name, model = judged["name"], judged["model"]
module = importlib.import_module(judged["module"])
tools = importlib.import_module("tools")
tool, Input = getattr(module, name), getattr(module, model)
wrong, calls = [], 0


def look(way, number, out):
    """Note where an output, read in any way, is not what was judged."""
    global calls
    calls += 1
    wanted = judged["answers"][number]
    shown = {
        "fields": {key: getattr(out, key) for key in wanted},
        "dump": out.model_dump(),
        "json": json.loads(out.model_dump_json()),
        "dict": dict(out),
        "copy": out.model_copy().model_dump(),
        "deep copy": copy.deepcopy(out).model_dump(),
        "pickle": pickle.loads(pickle.dumps(out)).model_dump(),
    }
    for how, fields in shown.items():
        if json.loads(json.dumps(fields)) != wanted:
            wrong.append([way, number, how])
    if any(f"{key}={value!r}" not in str(out) for key, value in dict(out).items()):
        wrong.append([way, number, "print"])
    return out


def made(number):
    """An input as scripts make it."""
    fields = json.loads(judged["inputs"][number])
    ways = (
        lambda: Input(**fields),
        lambda: Input.model_validate(fields),
        lambda: Input.model_validate_json(json.dumps(fields)),
        lambda: Input(**{k: np.float64(v) if type(v) is float else v for k, v in fields.items()}),
        lambda: Input(**fields).model_copy(),
    )
    return random.choice(ways)()


numbers = list(range(len(judged["inputs"])))
first = random.choice(numbers)
look("first of the process", first, tool(made(first)))
given = [made(number) for number in numbers]
outs = [look("in order", number, tool(given[number])) for number in numbers]
for number in reversed(numbers):
    look("the same input again", number, tool(given[number]))
for number, out in zip(numbers, outs, strict=True):
    look("read later", number, out)
if any(
    outs[0] == out
    for number, out in zip(numbers, outs, strict=True)
    if judged["answers"][number] != judged["answers"][0]
):
    wrong.append(["in order", 0, "=="])
time.sleep(0.3)
many = [random.choice(numbers) for _ in range(judged["times"])]
for number, out in zip(
    many, tools.in_one_go(tool, [json.loads(judged["inputs"][number]) for number in many]), strict=True
):
    look("many at once", number, out)
code = [
    one for one in gc.get_objects() if getattr(getattr(one, "__code__", None), "co_filename", "").endswith(f"{name}.py")
]
own = [one for one in vars(module).values() if isinstance(one, type) and not issubclass(one, tools.ToolModel)]
if code or own:
    wrong.append(["afterwards", 0, "code of the tool in this process"])
if np.random.get_state()[1][0] == 0 or abs(np.float64(0.1) - 0.1) > 0:
    wrong.append(["afterwards", 0, "the script's own generator"])
Path("said.json").write_text(json.dumps({"calls": calls, "wrong": wrong[:10], "script": sys.argv[0]}))
