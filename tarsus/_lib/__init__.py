"""Code that knows no robot: checks of arguments, errors, files, progress."""
