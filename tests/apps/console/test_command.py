"""``labwright serve``: who may come in where, and what is said when something is missing."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.apps.console.command import SHORTEST, rules_for
from labwright.tools.errors import InputError


def test_loopback_is_open_and_everything_else_demands_a_token() -> None:
    assert rules_for("127.0.0.1", "", [], tls=False).token == ""
    for host, names in (("0.0.0.0", []), ("192.168.1.7", []), ("::", []), ("127.0.0.1", ["lab.example"])):
        rules = rules_for(host, "", names, tls=False)
        assert len(rules.token) >= SHORTEST
        assert rules.token != rules_for(host, "", names, tls=False).token
    assert rules_for("0.0.0.0", "", [], tls=False).secure, "a cookie for https alone"
    assert not rules_for("127.0.0.1", "x" * SHORTEST, [], tls=False).secure
    assert rules_for("127.0.0.1", "x" * SHORTEST, [], tls=False).token == "x" * SHORTEST


def test_a_proxys_name_is_one_of_ours_and_no_other_is() -> None:
    rules = rules_for("127.0.0.1", "", ["Lab.Example"], tls=False)
    assert "lab.example" in rules.hosts
    assert not rules.any_address


def test_a_short_token_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="at least 16 characters"):
        rules_for("0.0.0.0", "short", [], tls=False)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "nicegui" else found(name, *rest)
    )
    result = CliRunner().invoke(app, ["serve"])
    assert result.exit_code == 4
    assert "pip install 'labwright[console]'" in result.output


def test_a_port_that_is_taken_is_said_before_an_address_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = CliRunner().invoke(app, ["serve", "--port", str(port)])
    assert result.exit_code == 2
    assert f"cannot listen on 127.0.0.1, port {port} (Address already in use)" in result.output
    assert "The console is at" not in result.output


@pytest.mark.parametrize("given", [["--certificate"], ["--key"], ["--certificate", "--key"]])
def test_a_certificate_and_a_key_that_do_not_fit_are_said_in_words(given: list[str], tmp_path: Path) -> None:
    pem = tmp_path / "lab.pem"
    pem.write_text("-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n")
    options = [word for name in given for word in (name, str(pem))]
    result = CliRunner().invoke(app, ["serve", *options])
    assert result.exit_code == 2
    assert "Options `--certificate` and `--key`" in result.output
    assert "The console is at" not in result.output
