"""What a server offers, as a part of a toolbox."""
