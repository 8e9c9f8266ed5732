"""Sources of the scripts: fixed parts, chosen by what a task wants; its numbers are data at the top."""
