"""The command line, one module per subcommand of `coref`: each parses, loads and calls; logic is elsewhere."""
