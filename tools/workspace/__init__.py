"""What an agent at work may touch: files of its workspace, jobs, guides, installed packages."""
