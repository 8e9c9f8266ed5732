"""``labwright chat``: the front desk at a terminal, or through a pipe."""
