"""The console as an ASGI application: NiceGUI's pages, the files of runs, and the guard in front of both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI, Request
from nicegui import Client, core, ui
from nicegui import app as pages
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import ASGIApp

from labwright.apps.console import files, page_frame
from labwright.apps.console.example_cards import PICTURES
from labwright.apps.console.request_guard import Guard, Rules
from labwright.apps.console.shared_context import Console

# Path, title, module and function of the pages that need nothing from the address.
PLAIN: tuple[tuple[str, str, str], ...] = (
    ("/new", "New specification", "labwright.apps.console.pages.new:show"),
    ("/runs", "Runs", "labwright.apps.console.pages.runs:show"),
    ("/library", "Library", "labwright.apps.console.pages.catalogue:show"),
    ("/costs", "Costs", "labwright.apps.console.pages.costs:show"),
)  # fmt: skip
LARGEST_MESSAGE = 256 * 1024  # bytes that a window may send at once
PATIENCE = 30.0  # s that a page may take to be made: the first one of a busy machine imports what it draws
RECONNECT = 10.0  # s that a window which lost its connection is waited for


def make_app(console: Console, rules: Rules) -> ASGIApp:
    """The application for one server. NiceGUI has one application a process, so there is one console a process."""
    own = FastAPI(title="Labwright", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_lifespan(console))
    own.add_route("/files/{run_id}/{path:path}", _files(console), methods=["GET"])
    own.add_route("/example/{name}", _example, methods=["GET"])
    _register(console)
    pages.add_static_files("/pictures", PICTURES, max_cache_age=3600)
    pages.exception_handler(404)(_missing)
    pages.config.socket_io_js_transports = ["websocket"]
    core.sio.eio.max_http_buffer_size = LARGEST_MESSAGE
    ui.add_head_html(f"<style>{page_frame.CSS}</style>", shared=True)
    ui.run_with(
        own,
        title="Labwright",
        dark=None,
        language="en-US",
        tailwind=False,
        gzip_middleware_factory=None,
        binding_refresh_interval=None,
        reconnect_timeout=RECONNECT,
        message_history_length=200,
        show_welcome_message=False,
    )
    return Guard(own, rules)


def _register(console: Console) -> None:
    from labwright.apps.console.pages import compare, conversation, new, run

    @ui.page("/", response_timeout=PATIENCE)
    async def _newest() -> None:
        await conversation.show(console, "")

    @ui.page("/conversation/{name}", response_timeout=PATIENCE)
    async def _conversation(name: str) -> None:
        await conversation.show(console, name)

    @ui.page("/run/{run_id}", response_timeout=PATIENCE)
    async def _run(run_id: str) -> None:
        await run.show(console, run_id)

    @ui.page("/compare", response_timeout=PATIENCE)
    async def _compare(first: str = "", second: str = "") -> None:
        await compare.show(console, first, second)

    @ui.page("/new/{system}", response_timeout=PATIENCE)
    async def _new(system: str, kind: str = "", experiment: str = "", procedure: str = "", qubits: str = "Q1") -> None:
        named = {"experiment": experiment} if experiment else {"procedure": procedure}
        step = {**named, "qubits": qubits.split(",")} if experiment or procedure else None
        await new.fill(console, system, kind, step)

    for path, title, where in PLAIN:
        ui.page(path, response_timeout=PATIENCE)(_plain(console, path, title, where))


def _plain(console: Console, path: str, title: str, where: str) -> Callable[[], Awaitable[None]]:
    async def show() -> None:
        from importlib import import_module

        module, _, function = where.partition(":")
        with page_frame.frame(title, path):
            await getattr(import_module(module), function)(console)

    return show


async def _missing(request: Request, _: Exception) -> Response:
    """A page in the console's own frame; files and scripts that are missing get a line of text."""
    if "text/html" not in request.headers.get("accept", ""):
        return PlainTextResponse("There is no such page.", 404)
    with Client(ui.page(""), request=request) as client, page_frame.frame("No such page"):
        page_frame.heading("There is no such page")
        page_frame.paragraph("The address may be mistyped, or what it led to has moved.")
        page_frame.link("The first page", "/")
    return client.build_response(request, 404)


def _files(console: Console) -> Callable[[Request], Awaitable[Response]]:
    async def send(request: Request) -> Response:
        return await files.send(request, console.root)

    return send


async def _example(request: Request) -> Response:
    """The shipped picture of a good measurement of one experiment."""
    from labwright.apps.console.parts.library_search import example_file

    found = example_file(str(request.path_params["name"]))
    return FileResponse(found, headers=files.HEADERS) if found else PlainTextResponse("There is no such file.", 404)


def _lifespan(console: Console) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        yield
        await console.close()

    return alive
