"""The console's server: uvicorn with bounds, on one socket."""

from __future__ import annotations

import threading
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

import uvicorn

from labwright.apps.console.app import LARGEST_MESSAGE, make_app
from labwright.apps.console.conversation_store import Talks
from labwright.apps.console.request_guard import Rules
from labwright.apps.console.run_processes import in_a_process
from labwright.apps.console.shared_context import Console
from labwright.graphs.front_desk.desk_context import FOLDER
from labwright.graphs.front_desk.workers import WORKERS

if TYPE_CHECKING:
    from labwright.agents.settings import Settings
    from labwright.graphs.front_desk.permissions import Terms

MOST_CONNECTIONS = 1000
WARM = 3.0  # s


def serve_until_stopped(
    terms: Terms, settings: Settings, rules: Rules, listening: socket, certificate: Path | None, key: Path | None
) -> None:
    """Serve on the socket `listening` until Ctrl-C or SIGTERM."""
    WORKERS.way = in_a_process
    warm = threading.Timer(WARM, ensure_running)  # the first run finds the systems imported, after the first page
    warm.daemon = True
    warm.start()
    root = settings.runs.absolute()
    talks = Talks(terms, root, settings.state.absolute() / FOLDER)
    config = uvicorn.Config(
        make_app(Console(root, talks), rules),
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=3,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    uvicorn.Server(config).run(sockets=[listening])
