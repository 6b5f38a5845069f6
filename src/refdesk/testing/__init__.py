"""Public stand-ins for tests: a scripted model server, a deterministic embedder. Nothing that ships uses them."""
