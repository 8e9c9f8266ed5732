"""For a script of a workspace that is run outside of a sandbox: answers requests on standard input until it ends."""

from __future__ import annotations

import json
import sys

from labwright.tools.forge.calls.call_processes import servers_of
from labwright.tools.forge.toolset.client import read_frame, write_frame
from labwright.tools.sandbox import open_sandbox


def main() -> None:
    """Answer, one after the other."""
    servers = servers_of(open_sandbox())
    try:
        while True:
            write_frame(sys.stdout.fileno(), json.dumps(servers.ask(read_frame(sys.stdin.fileno()))).encode())
    except (EOFError, BrokenPipeError):
        servers.close()


if __name__ == "__main__":
    main()
