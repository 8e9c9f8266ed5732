"""What a search ends with: a scikit-learn pipeline, saved as plain data and code, that works on new samples."""
