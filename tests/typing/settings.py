"""What a type checker must see of the settings of a server; checked by pyright, never run."""

from toolwright import Toolbox
from toolwright.serve import AppSettings, Caller, HttpSettings, StdioSettings

box = Toolbox("box")

box.serve()
box.serve("stdio", drain=2)
box.serve("http", host="127.0.0.1", port=80, tokens={"a-long-token": Caller("ada")})
box.serve("http", max_sessions=10, max_connections=20, tls=("cert.pem", "key.pem"))
box.asgi(path="/tools", max_body=1000, origins=["https://page.example"])

for_http: HttpSettings = {"port": 80, "max_streams": 5}
for_app: AppSettings = {"metrics": True}
for_stdio: StdioSettings = {"short": False}
box.serve("http", **for_http)
box.serve("http", **for_app)
box.asgi(**for_app)
box.serve("stdio", **for_stdio)

box.serve("http", prot=80)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
box.serve("http", port="80")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
box.serve("stdio", port=80)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
box.serve("htpp")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
box.asgi(nothing=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
box.asgi(port=80)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
box.asgi(max_body="large")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def served() -> None:
    await box.serve_async()
    await box.serve_async("http", port=8000, tokens=["secret"])
    await box.serve_async("http", prot=1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    await box.serve_async("stdio", port=80)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
