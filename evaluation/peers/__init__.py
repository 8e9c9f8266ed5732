"""The same work by Labwright and by its peers, in one run: kernels, pulses, volumes, loops of tools."""
