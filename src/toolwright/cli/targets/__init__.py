"""What a target of a command names: files, modules, folders, and the toolboxes in them."""
