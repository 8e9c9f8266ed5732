"""Finding one's way in installed packages without importing them."""

from labwright.tools.workspace.installed_packages.navigator import Navigator
from labwright.tools.workspace.installed_packages.symbols import PackageIndex, Symbol

__all__ = ["Navigator", "PackageIndex", "Symbol"]
