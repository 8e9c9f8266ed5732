"""What `labwright new-lab` writes: a laboratory's own experiment, procedure and device, with their test."""
