"""A real HTTP server for the tests: serves a folder, and misbehaves where it is told to."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HTML = b"<!DOCTYPE html><html><body>Please log in</body></html>\n"


class Mirror:
    """Serves `folder`. Faults are set by file name: a list, one for each request.

    The last fault of a list stays, unless it is None (good from then on). A fault is a
    status, or one of ``html``, ``empty``, ``cut`` (at a line's end), ``cut-line``,
    ``short`` (less than announced), ``drop`` (no answer), ``no-length`` (good, but
    without Content-Length), ``cut-no-length``.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.faults = {}
        self.asked = []
        self.gate = None  # a semaphore: so many answers, then none until it is released
        self.busy = self.most_busy = 0
        self.lock = threading.Lock()
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                mirror.answer(self)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler):
        name = handler.path.rsplit("/", 1)[-1]
        with self.lock:
            self.asked.append(name)
            self.busy += 1
            self.most_busy = max(self.busy, self.most_busy)
            faults = self.faults.get(name, [None])
            fault = faults.pop(0) if len(faults) > 1 else faults[0]
        try:
            if self.gate:
                self.gate.acquire()
            self.send(handler, fault)
        finally:
            with self.lock:
                self.busy -= 1

    def send(self, handler, fault):
        path = self.folder / handler.path.lstrip("/")
        status, length = 200, True
        if isinstance(fault, int) or not path.is_file():
            status, body = fault if isinstance(fault, int) else 404, b"no"
        else:
            body = path.read_bytes()
        half = body[: len(body) // 2]
        if fault == "drop":
            handler.connection.close()
            return
        if fault == "html":
            body = HTML
        elif fault == "empty":
            body = b""
        elif fault in ("cut", "cut-no-length"):
            body = half[: half.rfind(b"\n") + 1]
        elif fault == "cut-line":
            body = half[: half.rfind(b"\n") + 30]
        if fault in ("no-length", "cut-no-length"):
            length = False
        handler.send_response(status)
        if length:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(half if fault == "short" else body)
