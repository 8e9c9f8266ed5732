"""``labwright serve``: the command itself."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labwright.apps.calibrate import Answers, Approve, Budget, DeviceFolder, Model
from labwright.apps.exits import endings
from labwright.apps.permission_options import Device, DeviceOption, Lab, Person, Seed, Toolset, terms_of
from labwright.apps.terminal_output import err, escape

if TYPE_CHECKING:
    from labwright.apps.console.request_guard import Rules

HERE = ("127.0.0.1", "::1", "localhost")
SHORTEST = 16  # characters of a token that a person chooses


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on. Other than loopback demands a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8080,
    token: Annotated[str, typer.Option(envvar="LABWRIGHT_TOKEN", help="What a browser has to know.")] = "",
    name: Annotated[list[str] | None, typer.Option(help="Another name under which browsers reach it.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="TLS certificate (PEM).", exists=True)] = None,
    key: Annotated[Path | None, typer.Option(help="Key of the certificate (PEM).", exists=True)] = None,
    approve: Approve = "risky",
    answers: Answers = "ask",
    model: Model = None,
    budget: Budget = "",
    device: Device = "simulated",
    device_option: DeviceOption = None,
    device_folder: DeviceFolder = "",
    lab: Lab = "",
    toolset: Toolset = "",
    seed: Seed = 0,
    person: Person = "me",
) -> None:
    """Serve the console to a browser until stopped: conversation, runs, library, costs."""
    with endings():
        _check_extra()
        from labwright.agents.settings import Settings
        from labwright.apps.console.serving import serve_until_stopped
        from labwright.apps.console.socket_and_certificate import bound, check_certificate

        settings = Settings()
        terms = terms_of(
            settings, model=model, approve=approve, answers=answers, budget=budget, device=device,
            device_option=device_option, lab=lab, toolset=toolset, device_folder=device_folder,
            seed=seed, person=person,
        )  # fmt: skip
        rules = rules_for(host, token, name or [], tls=certificate is not None)
        check_certificate(certificate, key)
        with bound(host, port) as listening:
            _say_where(host, port, rules, tls=certificate is not None)
            serve_until_stopped(terms, settings, rules, listening, certificate, key)


def rules_for(host: str, token: str, names: list[str], *, tls: bool) -> Rules:
    """Who may come in: on loopback everybody who can reach it, elsewhere who knows the token.

    Raises:
        InputError: the token is too short.
    """
    from labwright.apps.console.request_guard import LOOPBACK, Rules
    from labwright.tools.errors import InputError

    if token and len(token) < SHORTEST:
        raise InputError(f"Option `--token` must have at least {SHORTEST} characters, but has {len(token)}.")
    here = host in HERE
    shown = f"[{host}]" if ":" in host else host
    hosts = {*LOOPBACK, *(one.lower() for one in names), shown.lower()}
    wanted = token or ("" if here and not names else secrets.token_urlsafe(24))
    return Rules(wanted, frozenset(hosts), any_address=not here, secure=tls or not here)


def _check_extra() -> None:
    from importlib.util import find_spec

    from labwright.tools.errors import ToolError

    if find_spec("nicegui") is None:
        raise ToolError("The console needs a package: pip install 'labwright[console]'.")


def _say_where(host: str, port: int, rules: Rules, *, tls: bool) -> None:
    """Where a browser finds it, and what is to be known."""
    shown = f"[{host}]" if ":" in host else host
    query = f"/?token={rules.token}" if rules.token else "/"
    scheme = "https" if tls else "http"
    err().print(f"The console is at {scheme}://{escape(shown)}:{port}{escape(query)}", soft_wrap=True)
    if rules.secure and not tls:
        words = "Its cookie goes over https only: give --certificate and --key, or put a proxy with https in front."
        err().print(words, soft_wrap=True)
    err().print("Ctrl-C ends it; runs pause and can be resumed.", soft_wrap=True)
