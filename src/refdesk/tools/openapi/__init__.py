"""Tools of HTTP interfaces: operations read from an OpenAPI document, called by a guarded client."""
