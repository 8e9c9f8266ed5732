"""Toolsets: admitted tools in a folder, with their records, versions and indexes."""
