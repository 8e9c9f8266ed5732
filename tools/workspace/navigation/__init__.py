"""Finding one's way in installed packages without importing them."""

from labwright.tools.workspace.navigation.navigator import Navigator
from labwright.tools.workspace.navigation.symbols import PackageIndex, Symbol

__all__ = ["Navigator", "PackageIndex", "Symbol"]
