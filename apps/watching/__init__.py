"""What a run's log amounts to while one watches it: one idea for the terminal and the browser, which only draw it."""
