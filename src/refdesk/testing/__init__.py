"""Public stand-ins for tests: a scripted model server, a deterministic embedder. Nothing shipped uses any."""
