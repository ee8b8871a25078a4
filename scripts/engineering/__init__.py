"""Random engineering problems with known answers."""
