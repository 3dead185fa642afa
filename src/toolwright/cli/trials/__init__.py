"""Tests of a toolbox as the command runs and shows them."""
