"""What readers of tasks share: clean text with spans, sentences, numbers, assignments, operators, matrices, units."""
