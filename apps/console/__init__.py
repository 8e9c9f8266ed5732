"""``labwright serve``: the front desk, runs, library and costs in a browser."""
