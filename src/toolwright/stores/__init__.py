"""Where a toolbox keeps its state."""
