"""Finding one's way in installed packages without importing them."""

from labwright.tools.forge.navigation.navigator import Navigator
from labwright.tools.forge.navigation.symbols import PackageIndex, Symbol

__all__ = ["Navigator", "PackageIndex", "Symbol"]
