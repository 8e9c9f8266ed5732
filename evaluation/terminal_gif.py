"""A recording of `labwright demo` in a terminal as a GIF, made from the program's own output.

python -m labwright.evaluation.terminal_gif [--out docs/figures/demo.gif] [--seconds 40]

The program runs behind a pseudo-terminal and is played five times slower than it ran; its last screen stands still
until the time is over. Only the name of the folder it ran in is taken out.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

COLUMNS, ROWS, SIZE = 120, 42, 13  # characters, characters, pixels of the type
STEP = 0.25  # s between two pictures
SLOWER = 5.0  # times: the simulated processor is quicker than a reader
PROMPT = "$ labwright demo\r\n"
BACKGROUND, PLAIN = "#12181c", "#e6e6e6"
COLOURS = {"red": "#ff7b6b", "green": "#3fc99a", "brown": "#e6b450", "blue": "#6cb6ff", "magenta": "#dd9fc7"} | {
    "cyan": "#67cfe3", "white": "#ffffff", "black": "#5c666d", "default": PLAIN,
}  # fmt: skip
_START = "from labwright.apps.cli import main; main()"


def recorded(folder: Path) -> list[tuple[float, bytes]]:
    """What the demo prints, with its times in seconds."""
    places = {"LABWRIGHT_RUNS": "runs", "LABWRIGHT_STATE": str(folder / "state"), "TERM": "xterm-256color"}
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    command = [sys.executable, "-c", _START, "demo"]
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env={**os.environ, **places}
    )
    os.close(slave)
    began, found = time.monotonic(), list[tuple[float, bytes]]()
    while True:
        try:
            text = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not text:
            break
        found.append((SLOWER * (time.monotonic() - began), text.replace(f"{folder.resolve()}/".encode(), b"")))
    os.close(master)
    if process.wait() != 0:
        raise SystemExit("The demo did not end well; run it by itself to see why.")
    return found


def pictures(chunks: list[tuple[float, bytes]], seconds: float) -> list[tuple[Image.Image, float]]:
    """The screens in their order, each with the time it stands; equal ones are one."""
    import pyte

    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    stream.feed(PROMPT.encode())
    frames, shown, waiting = [(drawn(screen), STEP)], list(screen.display), list(chunks)
    for number in range(1, int(chunks[-1][0] / STEP) + 2):
        while waiting and waiting[0][0] <= number * STEP:
            stream.feed(waiting.pop(0)[1])
        if list(screen.display) == shown:
            frames[-1] = (frames[-1][0], frames[-1][1] + STEP)
        else:
            shown = list(screen.display)
            frames.append((drawn(screen), STEP))
    rest = seconds - sum(stands for _, stands in frames)
    return [*frames[:-1], (frames[-1][0], frames[-1][1] + max(rest, 2.0))]


def drawn(screen: Any) -> Image.Image:
    """One screen."""
    from matplotlib import get_data_path

    fonts = [
        ImageFont.truetype(Path(get_data_path()) / "fonts" / "ttf" / f"DejaVuSans{kind}.ttf", SIZE)
        for kind in ("Mono", "Mono-Bold", "")
    ]
    width, height = fonts[0].getlength("M"), int(SIZE * 1.3)
    made = Image.new("RGB", (int(width * COLUMNS) + 20, height * ROWS + 20), BACKGROUND)
    pen = ImageDraw.Draw(made)
    for row in range(ROWS):
        for column, cell in screen.buffer[row].items():
            if cell.data.strip():
                braille = "\u2800" <= cell.data <= "\u28ff"  # of the spinner; the narrow type has none
                font = fonts[2 if braille else bool(cell.bold)]
                place = (10 + column * width, 10 + row * height)
                pen.text(place, cell.data, COLOURS.get(cell.fg, PLAIN), font=font)
    return made.quantize(32, dither=Image.Dither.NONE)


def main() -> None:
    """Record, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/figures/demo.gif"))
    parser.add_argument("--seconds", type=float, default=40.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        frames = pictures(recorded(Path(folder)), given.seconds)
    times = [round(1000 * stands) for _, stands in frames]
    first, *others = [picture for picture, _ in frames]
    first.save(given.out, save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    size = given.out.stat().st_size / 1000
    sys.stdout.write(f"{given.out}: {len(frames)} screens, {sum(times) / 1000:.0f} s, {size:.0f} kB\n")


if __name__ == "__main__":
    main()
