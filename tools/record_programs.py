"""Records real programs on a real PTY, for `cargo lab record [NAME]...`.

    record_programs.py OUT [NAME]...

Writes OUT/NAME.raw, the bytes as they came, and in OUT/points.json the offsets at which the screen is worth
comparing. The programs run in a scratch folder, in name spaces where the host is called "demo" and the user is
nobody, and a recording that names this machine after all is refused.
"""

import ctypes
import fcntl
import getpass
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import textwrap
import time

COLS, ROWS = 120, 40
SCRATCH = pathlib.Path("/tmp/demo")
LARGEST = 200_000
CLONE_NEWUTS, CLONE_NEWUSER = 0x04000000, 0x10000000
QUIET_SECONDS = 0.4
DEADLINE_SECONDS = 15
KEY_SECONDS = 0.1

# What a plain xterm would say; {} repeats what the query named. Only Vim asks where the cursor is, having written
# one narrow character at the start of line 2.
ANSWERS = [
    (rb"\x1b\[0?c", b"\x1b[?64;1;2;6;9;15;18;21;22c"),
    (rb"\x1b\[>0?c", b"\x1b[>41;390;0c"),
    (rb"\x1b\[>0?q", b"\x1bP>|XTerm(390)\x1b\\"),
    (rb"\x1b\[6n", b"\x1b[2;2R"),
    (rb"\x1b\[5n", b"\x1b[0n"),
    (rb"\x1b\[18t", b"\x1b[8;%d;%dt" % (ROWS, COLS)),
    (rb"\x1b\[\?(\d+)\$p", b"\x1b[?{};2$y"),
    (rb"\x1b\]10;\?(?:\x07|\x1b\\)", b"\x1b]10;rgb:e5e5/e5e5/e5e5\x1b\\"),
    (rb"\x1b\]11;\?(?:\x07|\x1b\\)", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
    (rb"\x1b\]12;\?(?:\x07|\x1b\\)", b"\x1b]12;rgb:e5e5/e5e5/e5e5\x1b\\"),
    (rb"\x1bP\+q([0-9A-Fa-f]+)\x1b\\", b"\x1bP0+r{}\x1b\\"),
    (rb"\x1bP\$q q\x1b\\", b"\x1bP1$r2 q\x1b\\"),
]
QUERY = re.compile(b"|".join(b"(?:%s)" % pattern for pattern, _ in ANSWERS))


class Session:
    """One program on one PTY, and everything it printed."""

    def __init__(self, argv, **environment):
        self.output = bytearray()
        self.answered = 0
        self.points = []
        child_environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(SCRATCH),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "USER": "nobody",
            "SHELL": "/bin/sh",
            "PS1": "$ ",
            "TMUX_TMPDIR": str(SCRATCH),
        } | environment
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLS, 0, 0))
        self.child = subprocess.Popen(
            argv,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=SCRATCH,
            env=child_environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.master = master

    def pump(self, seconds):
        """Reads once, answering queries; False when nothing came for `seconds` or the program has gone."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        try:
            chunk = os.read(self.master, 65536)
        except OSError:  # EIO: the last holder of the terminal closed it
            chunk = b""
        if not chunk:
            return False
        self.output += chunk
        for query in QUERY.finditer(self.output, self.answered):
            self.answered = query.end()
            for pattern, answer in ANSWERS:
                if found := re.fullmatch(pattern, query.group()):
                    os.write(self.master, answer.replace(b"{}", b"".join(found.groups())))
        return True

    def quiet(self):
        while self.pump(QUIET_SECONDS):
            pass

    def until(self, text):
        """Waits for `text` in what comes from now on."""
        start, deadline = len(self.output), time.monotonic() + DEADLINE_SECONDS
        while not re.search(text.encode(), self.output[start:]):
            if time.monotonic() > deadline:
                sys.exit(f"{self.child.args}: {text!r} never came: {bytes(self.output[-2000:])!r}")
            self.pump(0.1)

    def type(self, keys):
        """One key press or paste after the other: programs take what comes in one read for a paste."""
        for key in [keys] if isinstance(keys, str) else keys:
            os.write(self.master, key.encode())
            self.pump(KEY_SECONDS)

    def point(self, label):
        self.quiet()
        self.points.append((len(self.output), label))

    def step(self, keys, label):
        self.type(keys)
        self.point(label)

    def end(self, keys=""):
        if keys:
            self.type(keys)
        deadline = time.monotonic() + DEADLINE_SECONDS
        while self.pump(1) or self.child.poll() is None:
            if time.monotonic() > deadline:
                os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        os.close(self.master)
        self.points.append((len(self.output), "end"))
        return self


def write(name, text):
    (SCRATCH / name).write_text(text, encoding="utf-8")


SOURCE = textwrap.dedent(
    '''\
    """Counts words, and what else a person may want counted."""

    import collections
    import sys

    LIMIT = 10  # how many to show


    class Counter:
    \tdef __init__(self, path):  # a tab, to see tab stops
    \t\tself.path, self.words = path, collections.Counter()

    \tdef read(self):
    \t\twith open(self.path, encoding="utf-8") as file:
    \t\t\tfor line in file:
    \t\t\t\tself.words.update(line.lower().split())


    def main():
        for path in sys.argv[1:]:
            counter = Counter(path)
            counter.read()
            print(f"{path}: {len(counter.words)} words; 日本語 – naïve – 👍")
            for word, count in counter.words.most_common(LIMIT):
                print(f"{count:6d} {word!r:>20}  {'#' * count}")


    if __name__ == "__main__":
        main()
    '''
)

PROSE = "".join(
    f"{number:4d}  {'The quick brown fox jumps over the lazy dog. ' * (1 + number % 4)}\n" for number in range(1, 301)
)

UNICODE = textwrap.dedent(
    """\
    Chinese   中文字符测试：终端里的每个汉字占两列。
    Japanese  日本語のテキスト、ひらがなカタカナ、半角ｶﾅ。
    Korean    한국어 텍스트는 두 칸을 차지한다. 조합: 한글
    Full      Ｆｕｌｌ ｗｉｄｔｈ ａｎｄ half
    Emoji     😀 😃 🚀 🎉 🔥 ✅ ❌ ⭐ ⚡ ☕
    VS16      ❤️ ☀️ ✔️ ⚠️ ©️ 1️⃣ #️⃣ and text style ❤︎ ☀︎ ✔︎
    Skin      👍🏻 👍🏽 👍🏿 👩🏽‍🚀 🤝🏿
    ZWJ       👩‍👩‍👧‍👦 👨‍💻 🏳️‍🌈 🏴‍☠️ 🐈‍⬛ ❤️‍🔥
    Flags     🇩🇪 🇫🇷 🇯🇵 🇺🇸 🏴󠁧󠁢󠁥󠁮󠁧󠁿 odd: 🇩 🇪🇺🇫
    Marks     é ñ ö à̧ Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L
    Hindi     नमस्ते दुनिया क्षत्रिय   Thai ภาษาไทย ก็   Arabic مرحبا   Hebrew שלום
    Box       ┌──┬──┐ ╔══╦══╗ ▏▎▍▌▋▊▉█ ░▒▓ ⣿⡇ ←↑→↓ ★☆ ±×÷ …—“”
    Zero      a​b c‍d e⁠f g­h
    Ambig     ①②③ ΑΒΓ абв § ° µ ¿ ‰ ∞ ≈
    PUA               end
    """
)


def vim():
    write("words.py", SOURCE)
    write(".vimrc", "set nocompatible number mouse=a laststatus=2 ruler list\nsyntax on\nset background=dark\n")
    session = Session(["vim", "-i", "NONE", "-n", "words.py"])
    session.point("opened")
    session.step("/Counter\r", "search")
    session.step(["Go", "A new line, with 中文 and 👩‍🚀 in it.", "\x1b"], "inserted")
    session.step("ggVjjj", "visual")
    session.step(["\x1b", ":set nu! wrap\r", ":vsplit\r"], "split")
    session.step(["\x17", "l", "\x04"], "half page")
    write("prose.txt", PROSE)
    session.step(":split prose.txt\r", "split across")
    session.step("\x06\x06", "pages")
    session.step(["\x05", "\x05", "\x05", "\x19"], "line by line")
    session.step([":only\r", ":terminal\r"], "terminal")
    session.step("printf '\\033[31mred\\033[m\\n'; exit\r", "terminal done")
    return session.end(["\x1b", ":qa!\r"])


def less():
    write("prose.txt", PROSE)
    session = Session(["less", "-N", "prose.txt"])
    session.point("opened")
    for keys, label in [(" ", "page"), ("\r\r\r", "lines"), ("b", "back"), ("G", "end of file"), ("kkk", "reverse")]:
        session.step(keys, label)
    session.step("g/fox\r", "search")
    session.step("-S\r", "chopped")
    session.step("\x1b[C\x1b[C", "right")
    session.step("h", "help")
    session.step("q", "back from help")
    return session.end("q")


def htop():
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        session = Session(["htop", "--delay=10", f"--pid={sleeper.pid}"], HTOPRC=str(SCRATCH / "htoprc"))
        session.point("opened")
        session.step("t", "tree")
        session.step("\x1bOQ", "setup")
        session.step(["\x1bOB", "\x1bOB"], "setup, further")
        session.step("\x1b[21~", "back")
        session.step("\x1bOP", "help")
        session.step(" ", "back from help")
        return session.end("q")
    finally:
        sleeper.kill()
        sleeper.wait()


def top():
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        session = Session(["top", "-d", "1", "-p", str(sleeper.pid)])
        session.until("sleep")
        session.point("opened")
        session.until("top - ")
        session.point("refreshed")
        session.step("z", "colours")
        session.step("1", "each cpu")
        session.step("h", "help")
        session.step("\x1b", "back from help")
        return session.end("q")
    finally:
        sleeper.kill()
        sleeper.wait()


def tmux():
    write("prose.txt", PROSE)
    write("tmux.conf", "set -g mouse on\nset -g default-shell /bin/sh\nset -g status-right '%H:%M'\nset -g escape-time 0\n")
    prefix = "\x02"
    session = Session(["tmux", "-L", "demo", "-f", "tmux.conf", "new-session", "-s", "demo", "sh"])
    session.point("opened")
    session.step(["head -50 prose.txt", "\r"], "scrolled")
    session.step([prefix, '"'], "split below")
    session.step(["ls -la --color=always", "\r"], "lower pane")
    session.step([prefix, "%"], "split beside")
    session.step(["printf '\\033[1;4;35mstyled\\033[m 中文 👍\\n'; for i in 1 2 3; do echo line $i; done", "\r"], "third pane")
    session.step([prefix, "\x1b[1;5A", "\x1b[1;5A", "\x1b[1;5D"], "resized")
    session.step([prefix, "[", "\x1b[5~"], "copy mode")
    session.step(["q", prefix, "c"], "new window")
    session.step(["less prose.txt", "\r"], "less inside")
    session.step([" ", " ", "q"], "less gone")
    session.step([prefix, "w"], "tree")
    session.step(["q", prefix, "?"], "keys")
    session.step(["q", prefix, "p", prefix, "z"], "zoomed")
    return session.end([prefix, ":", "kill-server", "\r"])


def nano():
    write("words.py", SOURCE)
    session = Session(["nano", "--rcfile=/dev/null", "--linenumbers", "words.py"])
    session.point("opened")
    session.step("New text, 中文 too.\r", "typed")
    session.step("\x0b\x0b\x15", "cut and paste")
    session.step("\x16\x16", "paged")
    session.step("\x17Counter\r", "search")
    session.step("\x07", "help")
    session.step("\x18", "back from help")
    return session.end("\x18n")


def git():
    repository = SCRATCH / "repository"
    repository.mkdir(exist_ok=True)
    person = {"NAME": "A. Person", "EMAIL": "person@example.com", "DATE": "2024-01-02T03:04:05Z"}
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(SCRATCH), "GIT_CONFIG_GLOBAL": "/dev/null"}
    environment |= {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}

    def run(*arguments):
        subprocess.run(["git", "-C", repository, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)

    run("init", "--quiet", "--initial-branch=main")
    for number in range(1, 41):
        if number % 10 == 0:
            run("switch", "--quiet", "--create", f"topic-{number}")
        (repository / "words.py").write_text(SOURCE.replace("LIMIT = 10", f"LIMIT = {number}"), encoding="utf-8")
        (repository / f"file-{number % 7}.txt").write_text(PROSE[: 200 * number], encoding="utf-8")
        run("add", ".")
        run("commit", "--quiet", "--message", f"topic: change number {number} – naïve 中文 🚀\n\nA body of one line.")
        if number % 10 == 5 and number > 10:
            run("switch", "--quiet", "main")
            run("merge", "--quiet", "--no-ff", "--message", f"Merge topic {number}", f"topic-{number - 5}")
    session = Session(
        ["git", "-C", str(repository), "log", "--graph", "--decorate", "--stat", "--color=always", "-p"],
        GIT_CONFIG_GLOBAL="/dev/null",
        LESS="R",
    )
    session.point("opened")
    for keys, label in [(" ", "page"), ("  ", "pages"), ("/LIMIT\r", "search"), ("G", "end of log"), ("kk", "reverse")]:
        session.step(keys, label)
    return session.end("q")


PROGRESS = textwrap.dedent(
    r'''
    import sys, time
    out = sys.stdout
    def show(text):
        out.write(text); out.flush(); time.sleep(0.01)
    for i in range(0, 101, 2):
        show(f"\r\x1b[KDownloading [{'#' * (i // 2):<50}] {i:3d}% eta {(100 - i) // 10}s")
    show("\n")
    for i in range(0, 81):
        whole, part = divmod(i * 6, 8)
        bar = "█" * whole + ("▏▎▍▌▋▊▉"[part - 1] if part else "")
        show(f"\r\x1b[32m{'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'[i % 10]}\x1b[0m Building \x1b[38;2;{i * 3};128;200m{bar:<60}\x1b[0m {i}/80")
        show(f"\x1b]9;4;1;{i * 100 // 80}\x07")
    show("\x1b]9;4;0\x07\n\x1b[?25l")
    names = ["alpha", "beta", "gamma", "delta", "epsilon"]
    show("\n" * len(names))
    for i in range(0, 51):
        show(f"\x1b[{len(names)}A")
        for n, name in enumerate(names):
            done = min(50, i * (n + 1) // 2)
            state = "\x1b[1;32mdone\x1b[m" if done == 50 else f"{done * 2:3d} %"
            out.write(f"\x1b[2K  {name:<10}\x1b[48;5;{24 + n * 36}m{' ' * done}\x1b[m{'·' * (50 - done)} {state}\r\n")
        if i % 10 == 0:
            # A line that belongs above the bars, as build tools print it.
            show(f"\x1b[{len(names)}A\x1b[L\x1b[33mwarning\x1b[m: number {i}\x1b[{len(names)}B\r\n")
    show("\x1b[?25h")
    long = "A title that is longer than the line, as file names are. " * 3
    for i in range(20):
        show("\r\x1b[?7l" + long[i:] + "\x1b[?7h")
    show("\r\x1b[2K\x1b[Jfinished\n")
    '''
)


def progress():
    write("progress.py", PROGRESS)
    session = Session([sys.executable, "-I", "progress.py"])
    for text in ("Downloading .* 50%", "40/80", "number 20"):
        session.until(text)
        session.points.append((len(session.output), text))
    return session.end()


def unicode():
    write("unicode.txt", UNICODE)
    write("narrow.sh", r"""
cat unicode.txt
sleep 0.6
printf '\033[2J\033[H'
i=0
while [ $i -lt 6 ]; do
    printf '%*s中文👩‍🚀é❤️🇩🇪|\r\n' $((112 + i)) ''
    i=$((i + 1))
done
printf 'overwrite: 中文中文\r\033[12CX\033[2CY\r\n'
printf 'erase:     中文中文\r\033[12C\033[X\033[3C\033[K\r\n'
printf 'insert:    中文中文\r\033[12C\033[@\033[3C\033[2P\r\n'
printf 'tabs:\t中\t文\t👍\tend\r\n'
printf '\033(0lqqqk\033(B line drawing \033)0\016x\017\r\n'
printf 'repeat: 中\033[3b a\033[5b\r\n'
sleep 0.6
printf '\033[2J\033[Hcluster over chunks: e'; sleep 0.6; printf '\314\201'; sleep 0.6; printf ' \360\237\221'; sleep 0.6; printf '\251\r\n'
printf 'broken: \377 \303( \360\237\221 \355\240\200 \300\200 end\r\n'
""")
    session = Session(["sh", "narrow.sh"])
    for label in ("text", "edges", "a cluster's first half", "its second half", "half a character"):
        session.point(label)
        session.pump(1)
    return session.end()


PROGRAMS = [vim, less, htop, top, tmux, nano, git, progress, unicode]


def hide_machine():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWUTS) != 0:
        sys.exit(f"cannot hide host and user name: unshare: {os.strerror(ctypes.get_errno())}; allow user name spaces")
    socket.sethostname("demo")


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    known = {program.__name__: program for program in PROGRAMS}
    wanted = sys.argv[2:] or list(known)
    if unknown := set(wanted) - set(known):
        sys.exit(f"no recording is called {', '.join(unknown)}; there are {', '.join(known)}")
    # "root" says nothing about a machine, and is in half of all paths.
    secrets = [socket.gethostname(), getpass.getuser(), str(pathlib.Path.home()), os.getcwd()]
    secrets = [word for word in secrets if word not in ("root", "localhost", "/")]
    hide_machine()
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir()
    out.mkdir(parents=True, exist_ok=True)
    points_file = out / "points.json"
    points = json.loads(points_file.read_text()) if points_file.exists() else []
    try:
        for name in wanted:
            session = known[name]()
            recorded = bytes(session.output)
            for secret in secrets:
                if re.search(rb"(?<!\w)%s(?!\w)" % re.escape(secret.encode()), recorded):
                    sys.exit(f"{name}: the recording holds {secret!r}, which names this machine; nothing was written")
            if len(recorded) > LARGEST:
                sys.exit(f"{name}: {len(recorded)} bytes are more than {LARGEST}; nothing was written")
            (out / f"{name}.raw").write_bytes(recorded)
            points = [point for point in points if point["raw"] != f"{name}.raw"]
            points += [{"raw": f"{name}.raw", "off": offset, "label": label} for offset, label in session.points]
            print(f"{name}: {len(recorded)} bytes, {len(session.points)} points")
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    points.sort(key=lambda point: (point["raw"], point["off"]))
    lines = ",\n".join(json.dumps(point) for point in points)
    points_file.write_text(f"[\n{lines}\n]\n")


main()
