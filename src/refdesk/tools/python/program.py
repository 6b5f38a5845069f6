"""The program that calls a tool's function within the sandbox: a text, since this package is not there.

It reads one JSON object from standard input and writes one line to what was standard output: a mark that
nobody could know before, and the outcome as JSON. What the code prints goes into the outcome. Modules that
take long to load are loaded only where they are needed.
"""

PROGRAM = """\
import io as _io
_given = _json.loads(_sys.stdin.buffer.read())
_out = _os.fdopen(_os.dup(1), "w", encoding="utf-8")
_os.dup2(2, 1)
_sys.stdin = _io.StringIO()
_sys.argv[:] = ["tool"]
_printed = _sys.stdout = _io.StringIO()
def _line(error):
    if isinstance(error, SyntaxError) and error.filename == "tool.py":
        return error.lineno
    found, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "tool.py":
            found = trace.tb_lineno
        trace = trace.tb_next
    return found
try:
    _space = {"__name__": "tool", "__file__": "tool.py"}
    exec(compile(_given["code"], "tool.py", "exec"), _space)
    _result = _space[_given["function"]](**_given["values"])
    if hasattr(_result, "__await__"):
        import asyncio as _asyncio
        async def _wait(one):
            return await one
        _result = _asyncio.run(_wait(_result))
    _outcome = {"ok": True, "result": _json.loads(_json.dumps(_result, default=str, allow_nan=False))}
except BaseException as _error:
    if isinstance(_error, SystemExit) and _error.code in (None, 0):
        _outcome = {"ok": True, "result": None}
    else:
        _outcome = {
            "ok": False,
            "error": type(_error).__name__,
            "message": str(_error)[:2000],
            "line": _line(_error),
        }
_outcome["printed"] = _printed.getvalue()[-_given["printed_chars"]:]
_out.write("\\n" + _given["mark"] + _json.dumps(_outcome) + "\\n")
_out.flush()
_os._exit(0)
"""
