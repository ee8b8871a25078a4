"""Random closed-form physics for `./dev bench physics`: cases, the theory of each kind, and what measures a run."""
