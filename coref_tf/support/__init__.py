"""What every room may use: errors, files, progress, the environment, the built libraries."""
