"""Every test gets folders and settings of its own."""

from own_folders import root as root
