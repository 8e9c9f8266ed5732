"""Running untrusted code: no network, no secrets, bounded in time, memory and files."""

from labwright.tools.sandbox.base import Completed, Level, Limits, Sandbox, Server
from labwright.tools.sandbox.folder_copy_run import FolderRun, run_in_folder
from labwright.tools.sandbox.sandbox_selection import open_sandbox

__all__ = ["Completed", "FolderRun", "Level", "Limits", "Sandbox", "Server", "open_sandbox", "run_in_folder"]
