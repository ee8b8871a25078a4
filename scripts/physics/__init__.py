"""Random closed-form physics for `./dev bench physics`: cases, the theory of each kind, and the measurement of runs."""
