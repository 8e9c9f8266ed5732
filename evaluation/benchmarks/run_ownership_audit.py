"""Who held which run when, as the database saw it: a table that triggers fill, and what must be true of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from labwright.tools.database.connecting import connect
from labwright.tools.database.lease import TABLE
from labwright.tools.database.queue import RunQueue

# Written by the server in the very statement that takes a lease or changes a run's row.
SETUP = """
CREATE TABLE audit (number bigserial PRIMARY KEY, at timestamptz DEFAULT clock_timestamp(), run text, token bigint,
    holder text, status text);
CREATE FUNCTION audit_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit (run, token, holder) VALUES (substr(NEW.name, 5), NEW.token, NEW.holder); RETURN NEW;
END $$;
CREATE FUNCTION audit_run() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit (run, status) VALUES (NEW.run_id, NEW.status); RETURN NEW;
END $$;
CREATE TRIGGER audit_lease AFTER INSERT OR UPDATE ON labwright_leases FOR EACH ROW
    WHEN (NEW.name LIKE 'run %') EXECUTE FUNCTION audit_lease();
CREATE TRIGGER audit_run AFTER UPDATE ON labwright_runs FOR EACH ROW EXECUTE FUNCTION audit_run();
"""


@dataclass(frozen=True, slots=True)
class Taking:
    """A driver took the lease of a run.

    Attributes:
        at: seconds since the epoch, of the server's clock.
        process: number of the driver's process.
        let_go: when the run's row left ``running`` before the next taking; None if it did not.
    """

    run: str
    token: int
    at: float
    process: int
    let_go: float | None


def install(url: str) -> None:
    """Put the triggers into an empty database."""
    with RunQueue(url), connect(url) as session:
        session.execute(TABLE)
        session.execute(SETUP, prepare=False)  # several statements


def takings(url: str) -> dict[str, list[Taking]]:
    """Run -> every taking of its lease, in order."""
    with connect(url) as session:
        rows = session.execute("SELECT *, extract(epoch FROM at)::float8 AS s FROM audit ORDER BY number").fetchall()
    found: dict[str, list[Taking]] = {}
    for row in rows:
        held = found.setdefault(row["run"], [])
        if row["token"] is not None:
            process = re.match(r"process (\d+) ", row["holder"])
            assert process is not None
            held.append(Taking(row["run"], row["token"], row["s"], int(process[1]), None))
        elif row["status"] != "running" and held:
            last = held[-1]
            held[-1] = Taking(last.run, last.token, last.at, last.process, row["s"])
    return found


def driven_by_two(history: dict[str, list[Taking]], killed: dict[int, float]) -> list[str]:
    """Takings of a run whose last driver was neither dead nor had let go, a line each.

    Args:
        history: run -> takings, in order.
        killed: process -> when SIGKILL was sent to it, in seconds since the epoch.
    """
    found = []
    for run, held in history.items():
        if [taking.token for taking in held] != list(range(1, len(held) + 1)):
            found.append(f"{run}: tokens {[taking.token for taking in held]}")
        for earlier, later in pairwise(held):
            gone = [moment for moment in (earlier.let_go, killed.get(earlier.process)) if moment is not None]
            if not gone or min(gone) > later.at:
                found.append(f"{run}: process {later.process} took it from process {earlier.process}")
    return found


def killed_while_driving(history: dict[str, list[Taking]], killed: dict[int, float]) -> int:
    """How many workers were killed between the taking of a run's lease and the end of that drive."""
    drives = [taking for held in history.values() for taking in held]
    return sum(
        taking.at < killed.get(taking.process, 0.0)
        and (taking.let_go is None or killed[taking.process] < taking.let_go)
        for taking in drives
    )
