"""The gate's rules: to which check each belongs, what is said when it is broken, and how to mend it."""

from __future__ import annotations

from labwright.tools.forge.findings import GateFinding

GATE_CHECKS: tuple[str, ...] = ("form", "rules", "lint", "tests", "errors", "repeat", "invariants", "mutation")
TEXT_CHECKS = GATE_CHECKS[:3]  # they run nothing, so all of them are made at once

# rule: (check, message, mend)
RULES: dict[str, tuple[str, str, str]] = {
    # form: what the two texts must look like
    "syntax": ("form", "The source does not parse: {error}.", "Write valid Python."),
    "tests_syntax": ("form", "The tests do not parse: {error}.", "Write valid Python."),
    "one_function": (
        "form",
        "The source must define one public function, {name}, but defines: {found}.",
        "Name the public function as the tool; begin every other top-level name with an underscore.",
    ),
    "public_name": (
        "form",
        "`{found}` is public, but is neither the tool's function nor a model that its input or output uses.",
        "Begin its name with an underscore.",
    ),
    "no_model": ("form", "The source has no pydantic model `{found}`.", "Define it with BaseModel and Field."),
    "signature": (
        "form",
        "The function must read `def {name}(given: {given}) -> {gives}`, but reads `{found}`.",
        "Take exactly one model and return one.",
    ),
    "no_field": ("form", "`{model}` has no field `{field}`, which the contract asks for.", "Add it."),
    "extra_field": (
        "form",
        "`{model}` has the field `{field}`, of which the contract knows nothing.",
        "Remove it, or put it into the contract.",
    ),
    "field_type": (
        "form",
        "`{model}.{field}` is {found}, but the contract says {wanted}.",
        "Use the contract's type.",
    ),
    "field_untyped": (
        "form",
        "`{model}.{field}` has the type {found}, which says nothing or is not plain data.",
        "Use numbers, words, lists and models; complex numbers cross as [re, im].",
    ),
    "field_undescribed": (
        "form",
        "`{model}.{field}` has no description.",
        "Write Field(description=...) with what it is and its unit.",
    ),
    "field_unit": (
        "form",
        "The description of `{model}.{field}` does not name its unit, {unit}.",
        "Name the unit in the description, as the contract does.",
    ),
    "module_docstring": (
        "form",
        "The module has no docstring.",
        "Say what it computes, by which equation, from where.",
    ),
    "function_docstring": ("form", "The function has no docstring.", "Say what it gives."),
    "model_docstring": ("form", "The model `{model}` has no docstring.", "Say what it holds."),
    "no_source": (
        "form",
        "The docstring names no source.",
        "Add `Source:` with a paper (author, year, DOI or arXiv), a textbook or a package's documentation.",
    ),
    "overridden": (
        "form",
        "`{model}.{found}` is overridden: results must be plain data.",
        "Models hold fields and validators only.",
    ),
    "no_tests": ("form", "There are no tests.", "Write functions named test_*."),
    "tests_import": (
        "form",
        "The tests do not import the tool.",
        "Begin with `from tools.{name} import {name}, ...`.",
    ),
    "tests_form": ("form", "The tests contain {found}.", "Write plain test functions at the top of the module."),
    "no_assert": ("form", "`{test}` asserts nothing.", "Assert a number that is known independently."),
    "empty_assert": (
        "form",
        "`{test}` asserts only {found}, which a wrong tool fulfils too.",
        "Assert values against an exact or independent answer.",
    ),
    "self_compare": (
        "form",
        "`{test}` compares the tool with itself: {found}.",
        "Compare with an exact or independent answer.",
    ),
    "skipped": ("form", "`{test}` is skipped or expected to fail.", "Let every test run and pass."),
    "patched": ("form", "The tests replace something: {found}.", "Test the tool as it is."),
    "no_invariant": (
        "form",
        "No test is named test_invariant_*.",
        "Test a law that the output must obey, with an exact answer.",
    ),
    "no_error_test": (
        "form",
        "No test named test_error_* expects an error with pytest.raises.",
        "Give the tool a wrong input and expect ValueError or RuntimeError.",
    ),
    "broad_raises": (
        "form",
        "`{test}` expects {found}, which any mistake raises.",
        "Expect ValueError, ValidationError or RuntimeError.",
    ),
    "no_law": ("form", "The contract names no invariant.", "Say what physics or mathematics demands of the output."),
    # rules: what a tool and its tests may do
    "bare_except": ("rules", "A bare `except:` hides every mistake.", "Name the exception, and raise."),
    "broad_except": (
        "rules",
        "`except {found}` hides every mistake.",
        "Name the one exception that is meant, and raise.",
    ),
    "handler_pass": (
        "rules",
        "An exception is swallowed.",
        "Raise ValueError or RuntimeError with what, where and mend.",
    ),
    "handler_return": ("rules", "A value is returned where an exception was caught.", "Raise instead."),
    "handler_default": ("rules", "An exception is replaced by a value.", "Raise instead."),
    "handler_continue": ("rules", "An exception is skipped over.", "Raise instead."),
    "finally_return": ("rules", "A `return`, `break` or `continue` in `finally` swallows exceptions.", "Move it out."),
    "suppress": ("rules", "contextlib.suppress swallows exceptions.", "Remove it."),
    "warnings_off": ("rules", "Warnings are silenced: {found}.", "Leave them; mend what they warn of."),
    "nan_to_num": ("rules", "{found} turns missing numbers into wrong ones.", "Raise where a number is not finite."),
    "errstate": ("rules", "Floating-point errors are silenced: {found}.", "Leave them, or raise."),
    "or_default": ("rules", "`{found}` puts a number where none is.", "Make the field required, or raise."),
    "get_default": ("rules", "`{found}` puts a number where none is.", "Use [...] and let it fail, or raise."),
    "nan_default": ("rules", "A number that is not finite is replaced: {found}.", "Raise RuntimeError instead."),
    "print": ("rules", "`{found}` writes to the screen.", "Return what is to be said."),
    "global_state": ("rules", "State outlives a call: {found}.", "Keep everything inside the function."),
    "environment": ("rules", "`{found}` depends on the machine.", "Take it from the input."),
    "process": ("rules", "`{found}` starts or ends processes.", "Compute in the function itself."),
    "network": ("rules", "`{found}` reaches for the network.", "Work with the input alone."),
    "dynamic_code": ("rules", "`{found}` runs text as code.", "Write the code out."),
    "pickle": ("rules", "`{found}` runs whatever the data say.", "Use JSON or plain numbers."),
    "native": ("rules", "`{found}` leaves Python's safety.", "Use a package that wraps it."),
    "introspection": ("rules", "`{found}` looks at the program itself.", "A tool depends on its input only."),
    "private_name": (
        "rules",
        "`{found}` is a private name of another module.",
        "Use public names only; test a helper through the tool's own function.",
    ),
    "forbidden_import": ("rules", "`{found}` may not be imported.", "Use the numerical packages and plain Python."),
    "missing_package": ("rules", "The package `{found}` is not installed.", "Use an installed package, or install it."),
    "unknown_tool": ("rules", "`{found}` is no tool of this toolset.", "Import a tool that is there."),
    "files": (
        "rules",
        "`{found}` touches a file that the input does not name.",
        "Take the path from a field of the input.",
    ),
    "unseeded": ("rules", "`{found}` draws without a seed.", "Use numpy.random.default_rng(given.seed)."),
    "clock": ("rules", "`{found}` depends on the time.", "Take it from the input."),
    "assert_in_tool": ("rules", "An `assert` vanishes under `python -O`.", "Raise ValueError or RuntimeError."),
    "replaces": ("rules", "`{found}` is given another meaning.", "Change nothing outside of the function."),
    "task_constant": (
        "rules",
        "{found} stands in the source and in the task: a tool must not hold a task's numbers.",
        "Make it a field of the input without that default.",
    ),
    # lint
    "lint": ("lint", "{code}: {error}.", "See `ruff rule {code}`."),
    # tests: what is seen when they run
    "import_failed": ("tests", "The tool cannot be imported: {error}", "Mend the import."),
    "tests_import_failed": ("tests", "The tests cannot be imported: {error}", "Mend the import."),
    "test_failed": ("tests", "`{test}` fails: {error}", "Mend the tool, or the test if its answer is wrong."),
    "too_slow": ("tests", "The tests take longer than {limit:g} s ({test}).", "Use smaller systems."),
    "crashed": ("tests", "The process ended during {test} without a word ({error}).", "Nothing may end the process."),
    "forged": ("tests", "{error}", "Results come from the assertions alone."),
    "not_called": (
        "tests",
        "`{test}` never calls the tool and expects no error of its input.",
        "Call the tool and assert on what it returns.",
    ),
    "not_plain": ("tests", "The tool's output does not survive as JSON: {error}", "Return finite plain data."),
    "changes_input": ("tests", "The tool changes its input.", "Copy before changing."),
    "sandbox_failed": ("tests", "The confined process failed: {error}", "Use less memory and fewer processes."),
    # errors
    "no_error": ("errors", "`{test}` passes, but nothing was raised by the tool or its input.", "Raise in the tool."),
    "error_type": (
        "errors",
        "The tool raises {found}, which does not say what to mend.",
        "Raise ValueError for a wrong input, RuntimeError for a failed computation.",
    ),
    "error_message": ("errors", "The error says only {found!r}.", "Say what is wrong, where, and how to mend it."),
    "nan_accepted": (
        "errors",
        "`{field}` of the input takes {takes}, without an error.",
        "Write `class ...(BaseModel, allow_inf_nan=False)` for the model that holds it.",
    ),
    "probe_failed": (
        "errors",
        "The input could not be held against NaN and infinity: {error}",
        "Let validators of the input raise ValueError, at once.",
    ),
    # repeat
    "repeat_failed": (
        "repeat",
        "The tool fails when called again with an input of its tests: {error}",
        "Keep no state.",
    ),
    "not_repeatable": (
        "repeat",
        "The same input gave another output in another process: {found}.",
        "Take seeds from the input, and iterate in a fixed order.",
    ),
    "repeat_slow": ("repeat", "A second run took longer than {limit:g} s.", "Use smaller systems in tests."),
    # invariants
    "invariant_idle": ("invariants", "No test_invariant_* that ran calls the tool.", "Call the tool in it."),
    "never_varies": (
        "invariants",
        "The output is the same for {number} different inputs of the tests.",
        "Test inputs for which it differs.",
    ),
    "law_broken": ("invariants", "{found}", "Mend the tool, or name the field for what it is."),
    # mutation
    "mutation_baseline": (
        "mutation",
        "The unchanged tool does not pass its tests where mutants are judged: {error}",
        "Nothing can be said of the tests until it does.",
    ),
    "weak_tests": (
        "mutation",
        "The tests notice {killed} of {total} deliberate faults ({score:.0%}; {wanted:.0%} are needed). {found}",
        "Assert values that these faults change.",
    ),
    "no_mutants": (
        "mutation",
        "No deliberate fault could be judged: {found}.",
        "Let tests assert values that depend on the tool's own arithmetic.",
    ),
}


def finding(rule: str, line: int = 0, **facts: object) -> GateFinding:
    """A finding of the book."""
    check, message, mend = RULES[rule]
    return GateFinding(check, rule, line, message.format(**facts), mend.format(**facts))
