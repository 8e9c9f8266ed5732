"""A SLURM of one machine on loopback, from Debian's packages, in a private folder: for tests that ask for it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "scancel")
READY_SECONDS = 60.0
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdSpoolDir={folder}/spool
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherParams=OverMemoryKill
JobAcctGatherFrequency=task=2
MinJobAge=3600
KillWait=5
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
SchedulerParameters=sched_interval=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str:
    """Why there can be no cluster here, after trying to install it as root; empty if there can."""
    os.environ["PATH"] = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent and os.getuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        words = ["apt-get", "install", "-y", "--no-install-recommends", "slurm-wlm", "munge"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            return f"apt-get could not install slurm-wlm and munge: {done.stderr[-200:]}"
        absent = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"not installed, and not installable by this user: {', '.join(absent)}" if absent else ""


@contextmanager
def cluster(folder: Path) -> Iterator[Path]:
    """A running cluster; gives the path of its configuration, which is also set in the environment."""
    for name in ("spool", "state"):
        (folder / name).mkdir()
    folder.chmod(0o755)
    configuration = folder / "slurm.conf"
    names = {"host": socket.gethostname().split(".")[0], "user": _user(), "folder": folder}
    ports = dict(zip(("controller", "daemon"), _free_ports(2), strict=True))
    memory = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 20) * 0.8)
    configuration.write_text(CONFIGURATION.format(**names, **ports, cpus=os.cpu_count(), memory=memory))
    os.environ["SLURM_CONF"] = str(configuration)
    started: list[subprocess.Popen[bytes]] = []
    try:
        started.append(_munge(folder))
        started.append(_start(["slurmctld", "-D", "-c", "-f", str(configuration)], folder))
        started.append(_start(["slurmd", "-D", "-f", str(configuration), "-N", names["host"]], folder))
        _wait_for_a_node(folder)
        yield configuration
    finally:
        for process in reversed(started):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        del os.environ["SLURM_CONF"]


def _munge(folder: Path) -> subprocess.Popen[bytes]:
    key, socket_path = folder / "munge.key", folder / "munge.socket"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    words = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={socket_path}"]
    words += [f"--{name}-file={folder}/munge.{name}" for name in ("pid", "log", "seed")]
    started = _start(words, folder)
    deadline = time.monotonic() + READY_SECONDS
    while not socket_path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return started


def _start(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    with (folder / f"{words[0]}.out").open("wb") as log:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


def _wait_for_a_node(folder: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        said = subprocess.run(["sinfo", "-h", "-o", "%t"], capture_output=True, text=True, timeout=30, check=False)
        if said.stdout.strip() == "idle":
            return
        time.sleep(0.2)
    logs = "\n".join(path.read_text(errors="replace")[-1500:] for path in sorted(folder.glob("*.[ol][uo][tg]")))
    raise RuntimeError(f"SLURM did not come up.\n{logs}")


def _user() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


def _free_ports(number: int) -> list[int]:
    plugs = [socket.socket() for _ in range(number)]
    try:
        for plug in plugs:
            plug.bind(("127.0.0.1", 0))
        return [int(plug.getsockname()[1]) for plug in plugs]
    finally:
        for plug in plugs:
            plug.close()
