"""Jobs that outlive whoever started them: confined, bounded, on this machine or under SLURM, with all state on disk."""

from labwright.tools.jobs.job_service import JobService
from labwright.tools.jobs.local import LocalRunner
from labwright.tools.jobs.records import JobLimits, JobSpec, JobState, JobStatus
from labwright.tools.jobs.runner_interface import Runner
from labwright.tools.jobs.slurm import SlurmRunner

__all__ = ["JobLimits", "JobService", "JobSpec", "JobState", "JobStatus", "LocalRunner", "Runner", "SlurmRunner"]
