"""What several workers share besides the run folders: leases and the queue of runs, in PostgreSQL."""

from labwright.tools.database.connecting import connect as connect
from labwright.tools.database.lease import DatabaseLease as DatabaseLease
from labwright.tools.database.queue import QueuedRun as QueuedRun
from labwright.tools.database.queue import RunQueue as RunQueue
