"""The address and the certificate of the server, tried before anything is said or begun."""

from __future__ import annotations

import os
import socket
import ssl
from pathlib import Path

from labwright.tools.errors import InputError


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens on the address.

    Raises:
        InputError: the host is no address of this machine, or the port is taken or not allowed.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as fault:
        raise InputError(
            f"Option `--host`: {host!r} is no address or name of this machine ({fault.strerror})."
        ) from fault
    try:
        return socket.create_server(address[:2], family=family)
    except OSError as fault:
        why = os.strerror(fault.errno) if fault.errno else str(fault)
        words = f"The console cannot listen on {host}, port {port} ({why}). Give another --port, or --host."
        raise InputError(words) from fault


def check_certificate(certificate: Path | None, key: Path | None) -> None:
    """Make sure that certificate and key belong together, or that neither is given.

    Raises:
        InputError: one of them is missing or cannot be read, or they do not fit.
    """
    if certificate is None and key is None:
        return
    if certificate is None or key is None:
        raise InputError("Options `--certificate` and `--key` go together: https needs both.")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (ssl.SSLError, OSError) as fault:
        words = f"{certificate} and {key} are no PEM certificate with its key ({fault})."
        raise InputError(f"Options `--certificate` and `--key`: {words}") from fault
