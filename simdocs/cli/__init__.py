"""The command line: commands of Click, made of options classes, and one table from errors to exit statuses."""
