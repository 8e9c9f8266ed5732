"""A lease in the database is one session's, dies with it, and is not taken back by who lost it."""

from __future__ import annotations

import subprocess
import sys

import psycopg
import pytest

from labwright.tools.database import DatabaseLease
from labwright.tools.database.connecting import connect
from labwright.tools.errors import LeaseError, UnreachableError


def lease(url: str, patience: float = 0.2) -> DatabaseLease:
    return DatabaseLease(url, "run a", "Run a", patience)


def test_a_second_driver_is_told_who_drives(url: str) -> None:
    with lease(url) as first:
        with pytest.raises(LeaseError, match=r"Run a is driven by process \d+ on .* since 2"):
            lease(url).acquire()
        first.verify()


def test_other_names_are_free(url: str) -> None:
    with lease(url), DatabaseLease(url, "run b", "Run b") as other:
        other.verify()


def test_the_token_grows_with_every_holder(url: str) -> None:
    tokens = []
    for _ in range(3):
        with lease(url) as held:
            tokens.append(held.token)
    assert tokens == [1, 2, 3]


HOLD = """
import sys
from labwright.tools.database import DatabaseLease
with DatabaseLease(sys.argv[1], "run a", "Run a"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_killed_holder_blocks_nobody(url: str) -> None:
    command = [sys.executable, "-c", HOLD, url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LeaseError):
            lease(url).acquire()
        holder.kill()
        with lease(url, patience=5.0) as next_one:
            assert next_one.token == 2


def test_who_lost_the_session_notices_and_does_not_go_on(url: str) -> None:
    held = lease(url).acquire()
    with connect(url) as other:  # as when the server is started anew, or a network is cut
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    with lease(url), pytest.raises(LeaseError, match="lost with the session"):
        held.verify()
    held.release()


def test_a_lease_that_was_given_back_is_closed(url: str) -> None:
    held = lease(url).acquire()
    held.release()
    with pytest.raises(LeaseError, match="closed"):
        held.verify()


def test_a_token_that_moved_on_is_noticed(url: str) -> None:
    with lease(url) as held:
        with connect(url) as other:
            other.execute("UPDATE labwright_leases SET token = token + 1, holder = 'process 7 on elsewhere'")
        with pytest.raises(LeaseError, match="taken over by process 7 on elsewhere"):
            held.verify()


def test_no_server_is_said_without_the_password() -> None:
    with pytest.raises(UnreachableError, match="LABWRIGHT_DATABASE_URL") as caught:
        DatabaseLease("postgresql://someone:hidden-word@127.0.0.1:1/none", "x", "X").acquire()
    assert "hidden-word" not in str(caught.value)


def test_the_driver_gives_dictionaries(url: str) -> None:
    with connect(url) as session:
        assert session.execute("SELECT 1 AS one").fetchone() == {"one": 1}
        assert isinstance(session, psycopg.Connection)
