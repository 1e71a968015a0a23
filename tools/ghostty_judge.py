"""libghostty-vt behind JSON lines, for `cargo xtask`: one request a line in, one answer a line out.

Bytes travel as strings of the characters U+0000 to U+00FF. The library is the one inside PyPI's pyghostty 0.1.3.
It has no stable ABI: only the files whose hashes are below are loaded, and the numbers and layouts are theirs.
"""

import ctypes
import hashlib
import importlib.util
import json
import pathlib
import sys
from ctypes import POINTER, byref, c_bool, c_int, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

LIBRARY_SHA256 = {
    "2c89c656699fa7651e4d433801f1e6e6e6bc5326b6124c2e3646d4db69545822": "Linux x86_64",
    "8fd97bc67191c7009cf013c4d3e603f692fca4ef585f186ff90990102f56536d": "Linux aarch64",
    "b74e7743dc0bcf026c940fc02b7b0b6aa14ad46ed85791d5397d363e8677fe18": "macOS x86_64",
    "14f26691547e59fe8525ba98bcf15c62f3263f84f0232dcca5ed8e71b5d3afde": "macOS arm64",
}

OPTION_WRITE_PTY, OPTION_SCROLLBACK_LINES, OPTION_MODE_DEFAULT, OPTION_MODE = 1, 28, 33, 34
DATA_COLS, DATA_ROWS, DATA_CURSOR_X, DATA_CURSOR_Y, DATA_ACTIVE_SCREEN, DATA_CURSOR_VISIBLE = 1, 2, 3, 4, 6, 7
CELL_CONTENT_TAG, CELL_WIDE, CELL_HAS_TEXT, CELL_HAS_LINK, CELL_PALETTE, CELL_RGB = 2, 3, 4, 7, 10, 11
CONTENT_PALETTE, CONTENT_RGB = 2, 3
WIDE_TAIL = 2
COLOR_PALETTE, COLOR_RGB = 1, 2
MODE_GRAPHEME_CLUSTERS = 2027
CELL_PIXELS = 8, 16

UNDERLINES = ["none", "single", "double", "curly", "dotted", "dashed"]
# In the order of `screen::ATTRIBUTES` in lab/src/screen.rs.
ATTRIBUTES = ["bold", "italic", "faint", "blink", "inverse", "invisible", "strikethrough", "overline"]


class Rgb(ctypes.Structure):
    _fields_ = [("r", c_uint8), ("g", c_uint8), ("b", c_uint8)]


class ColorValue(ctypes.Union):
    _fields_ = [("palette", c_uint8), ("rgb", Rgb), ("padding", c_uint64)]


class Color(ctypes.Structure):
    _fields_ = [("tag", c_int), ("value", ColorValue)]


class Style(ctypes.Structure):
    _fields_ = (
        [("size", c_size_t), ("foreground", Color), ("background", Color), ("underline_color", Color)]
        + [(name, c_bool) for name in ATTRIBUTES]
        + [("underline", c_int)]
    )


class PointValue(ctypes.Structure):
    """A union in the library. ctypes passes none by value, so this is the one member in use, padded to its size."""

    _fields_ = [("x", c_uint16), ("y", c_uint32), ("padding", c_uint64)]


class Point(ctypes.Structure):
    _fields_ = [("tag", c_int), ("value", PointValue)]


class GridRef(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("node", c_void_p), ("x", c_uint16), ("y", c_uint16)]


class Mode(ctypes.Structure):
    _fields_ = [("mode", c_uint16), ("value", c_bool)]


WritePty = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, POINTER(c_uint8), c_size_t)


def load():
    spec = importlib.util.find_spec("pyghostty")
    if spec is None:
        sys.exit("pyghostty is not installed for this Python; see tools/judges.txt")
    folder = pathlib.Path(spec.origin).parent / "_lib"
    libraries = sorted(folder.glob("libghostty-vt.*"))
    if not libraries:
        sys.exit(f"{folder} holds no libghostty-vt; install the wheel named in tools/judges.txt again")
    found = hashlib.sha256(libraries[0].read_bytes()).hexdigest()
    if found not in LIBRARY_SHA256:
        sys.exit(f"{libraries[0]} has sha256 {found}: not the library of pyghostty 0.1.3 (tools/judges.txt)")
    library = ctypes.CDLL(str(libraries[0]))
    library.ghostty_terminal_new.argtypes = [c_void_p, POINTER(c_void_p), c_uint16, c_uint16]
    library.ghostty_terminal_free.argtypes = [c_void_p]
    library.ghostty_terminal_resize.argtypes = [c_void_p, c_uint16, c_uint16, c_uint32, c_uint32]
    library.ghostty_terminal_set.argtypes = [c_void_p, c_int, c_void_p]
    library.ghostty_terminal_get.argtypes = [c_void_p, c_int, c_void_p]
    library.ghostty_terminal_vt_write.argtypes = [c_void_p, ctypes.c_char_p, c_size_t]
    library.ghostty_terminal_grid_ref.argtypes = [c_void_p, Point, POINTER(GridRef)]
    library.ghostty_grid_ref_cell.argtypes = [POINTER(GridRef), POINTER(c_uint64)]
    library.ghostty_grid_ref_style.argtypes = [POINTER(GridRef), POINTER(Style)]
    library.ghostty_grid_ref_graphemes.argtypes = [POINTER(GridRef), POINTER(c_uint32), c_size_t, POINTER(c_size_t)]
    library.ghostty_grid_ref_hyperlink_uri.argtypes = [POINTER(GridRef), POINTER(c_uint8), c_size_t, POINTER(c_size_t)]
    library.ghostty_cell_get.argtypes = [c_uint64, c_int, c_void_p]
    return library


ghostty = load()


def check(result, what):
    if result != 0:
        raise RuntimeError(f"libghostty-vt: {what} failed with {result}")


class Judge:
    def __init__(self, cols, rows):
        self.terminal = c_void_p()
        check(ghostty.ghostty_terminal_new(None, byref(self.terminal), cols, rows), "terminal_new")
        self.replies = bytearray()
        # Kept here: the library holds a bare pointer to it.
        self.write_pty = WritePty(lambda _terminal, _userdata, data, count: self.replies.extend(data[:count]))
        self.set(OPTION_WRITE_PTY, self.write_pty)
        self.set(OPTION_SCROLLBACK_LINES, byref(c_size_t(10_000)))
        # On in Ghostty by its own configuration, and on in `vt`; the bare library leaves it off.
        for option in (OPTION_MODE_DEFAULT, OPTION_MODE):
            self.set(option, byref(Mode(MODE_GRAPHEME_CLUSTERS, True)))

    def close(self):
        ghostty.ghostty_terminal_free(self.terminal)

    def set(self, option, value):
        check(ghostty.ghostty_terminal_set(self.terminal, option, ctypes.cast(value, c_void_p)), f"set {option}")

    def get(self, data, ctype):
        out = ctype()
        check(ghostty.ghostty_terminal_get(self.terminal, data, byref(out)), f"get {data}")
        return out.value

    def size(self):
        return self.get(DATA_COLS, c_uint16), self.get(DATA_ROWS, c_uint16)

    def feed(self, data):
        ghostty.ghostty_terminal_vt_write(self.terminal, data, len(data))
        replies = self.replies.decode("latin-1")
        self.replies.clear()
        return *self.size(), replies

    def resize(self, cols, rows):
        check(ghostty.ghostty_terminal_resize(self.terminal, cols, rows, *CELL_PIXELS), "resize")

    def screen(self):
        cols, rows = self.size()
        looks = {}
        grid = [[cell_of(ref, looks) for ref in self.row(row, cols)] for row in range(rows)]
        return {
            "looks": list(map(json.loads, looks)),
            "rows": grid,
            "cursor": [
                self.get(DATA_CURSOR_X, c_uint16),
                self.get(DATA_CURSOR_Y, c_uint16),
                self.get(DATA_CURSOR_VISIBLE, c_bool),
            ],
            "alternate": self.get(DATA_ACTIVE_SCREEN, c_int) == 1,
        }

    def row(self, row, cols):
        """References to the cells of a row; a row lies within one page, so only the column has to move."""
        ref = GridRef(size=ctypes.sizeof(GridRef))
        check(ghostty.ghostty_terminal_grid_ref(self.terminal, Point(0, PointValue(0, row, 0)), byref(ref)), f"row {row}")
        for col in range(cols):
            ref.x = col
            yield ref


def read(cell, key, ctype):
    out = ctype()
    check(ghostty.ghostty_cell_get(cell, key, byref(out)), f"cell_get {key}")
    return out


def cell_of(ref, looks):
    """The cell's text and the number of its look in `looks`, a dict of looks as JSON in order of appearance."""
    cell = c_uint64()
    check(ghostty.ghostty_grid_ref_cell(byref(ref), byref(cell)), "cell")
    tail = read(cell, CELL_WIDE, c_int).value == WIDE_TAIL
    look = json.dumps(look_of(ref, cell))
    return "" if tail else text_of(ref, cell), looks.setdefault(look, len(looks))


def text_of(ref, cell):
    if not read(cell, CELL_HAS_TEXT, c_bool).value:
        return " "
    count = c_size_t()
    points = (c_uint32 * 256)()
    check(ghostty.ghostty_grid_ref_graphemes(byref(ref), points, len(points), byref(count)), "graphemes")
    return "".join(map(chr, points[: count.value])) or " "


def look_of(ref, cell):
    style = Style(size=ctypes.sizeof(Style))
    check(ghostty.ghostty_grid_ref_style(byref(ref), byref(style)), "style")
    background = color(style.background)
    # A cell erased in a colour has no style of its own: the colour stands where the character would.
    tag = read(cell, CELL_CONTENT_TAG, c_int).value
    if tag == CONTENT_PALETTE:
        background = read(cell, CELL_PALETTE, c_uint8).value
    elif tag == CONTENT_RGB:
        rgb = read(cell, CELL_RGB, Rgb)
        background = [rgb.r, rgb.g, rgb.b]
    link = None
    if read(cell, CELL_HAS_LINK, c_bool).value:
        length = c_size_t()
        uri = (c_uint8 * 4096)()
        check(ghostty.ghostty_grid_ref_hyperlink_uri(byref(ref), uri, len(uri), byref(length)), "hyperlink")
        link = bytes(uri[: length.value]).decode("utf-8", "replace")
    return {
        "foreground": color(style.foreground),
        "background": background,
        "underline": UNDERLINES[style.underline],
        "underline_color": color(style.underline_color),
        "attributes": sum(1 << bit for bit, name in enumerate(ATTRIBUTES) if getattr(style, name)),
        "link": link,
    }


def color(value):
    if value.tag == COLOR_PALETTE:
        return value.value.palette
    if value.tag == COLOR_RGB:
        rgb = value.value.rgb
        return [rgb.r, rgb.g, rgb.b]
    return None


def main():
    judge = None
    for line in sys.stdin:
        request = json.loads(line)
        answer = True
        match request["do"]:
            case "new":
                if judge is not None:
                    judge.close()
                judge = Judge(request["cols"], request["rows"])
            case "feed":
                answer = judge.feed(request["bytes"].encode("latin-1"))
            case "resize":
                judge.resize(request["cols"], request["rows"])
            case "screen":
                answer = judge.screen()
        print(json.dumps(answer), flush=True)


main()
