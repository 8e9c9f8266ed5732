"""What a driver takes when several workers share runs: a lease in their database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from labwright.agents.settings import Settings
from labwright.tools.database.lease import DatabaseLease


@contextmanager
def shared_lease(name: str, what: str) -> Iterator[Callable[[], None] | None]:
    """Hold the lease `name` in the shared database; gives its check, or None where there is no such database.

    Raises:
        LeaseError: another worker has it.
        UnreachableError: the database does not answer.
    """
    url = Settings().shared_database
    if not url:
        yield None
        return
    with DatabaseLease(url, name, what) as lease:
        yield lease.verify
