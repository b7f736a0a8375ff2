"""The command line, with one module per subcommand of `coref`, which parses arguments and calls the package."""
