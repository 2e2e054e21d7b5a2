"""Jobs that are killed, and disks that are full: the same command goes on, and its result is the same.

    python benchmarks/attack_jobs.py [kills] [disk] [memory] [--kills 3] [--minutes 1] [--megabytes 20]

`kills` ends `memsum batch`, `corpus episodes`, `train` and `adapt` with SIGKILL at random moments, runs each to its
end, and compares all its files with those of an undisturbed run. `disk` (Linux, as root) gives each command that writes
a file system that is too small, expects one sentence and no traceback, makes it larger, and compares likewise. `adapt`
does what fits into its time, and gives the model as it was where it learned nothing: its files may differ, or be
the same for that reason. `memory` gives `memsum batch` one large record of every kind, and tells the memory of the
largest process.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memsum_train.corpus import Example, write_examples

RECORDS = 300  # enough for the kill to come before the end
WORDS = ["pump", "well", "water", "tide", "pier", "crane", "ferry", "bridge", "road", "lamp", "village", "fare", "bus"]
VERBS = ["was repaired", "was closed", "rose", "was paid for", "was late", "was measured", "broke", "was cleaned"]
# What tells when a run was, and how long it took.
VARYING = ("done", "log", "metrics", "history", "checkpoint", "progress", "report", "README", "adapt")


def corpus(path: Path, count: int, seed: int) -> Path:
    """Documents of a few sentences, with the summaries that somebody might have written."""
    chance = random.Random(seed)

    def sentence() -> str:
        one, two = chance.sample(WORDS, 2)
        return f"The {one} of the {two} {chance.choice(VERBS)} in {chance.randint(1900, 2020)}, and people noticed."

    texts = [tuple(sentence() for _ in range(14)) for _ in range(count)]
    write_examples(path, [Example(text, (text[1], text[5]), id=str(n)) for n, text in enumerate(texts)])
    return path


def jobs(folder: Path, minutes: float) -> dict[str, tuple[list[str], str]]:
    """The arguments of each job but for its output, and the name of that."""
    records = folder / "records.jsonl"
    example = " ".join(f"The pump of well {n} was repaired in spring, and its water was clean." for n in range(9))
    records.write_text("".join(json.dumps({"id": n, "text": f"Record {n}. {example}"}) + "\n" for n in range(RECORDS)))
    train, valid = corpus(folder / "train.jsonl", 40, 1), corpus(folder / "valid.jsonl", 12, 2)
    large = corpus(folder / "large.jsonl", RECORDS, 3)
    settings = folder / "settings.toml"
    network = '[network]\nlocal = "mean"\ncontext = "none"\nhistory = "none"\nstopping = "fixed"\n'
    settings.write_text(f"[training]\nepochs = 60\n{network}[corpus]\nreject_copies = false\n")
    default = Path(__file__).parents[1] / "src" / "memsum" / "model" / "embedded" / "default"
    return {
        "batch": (["batch", str(records), "OUT", "--workers", "1"], "out.jsonl"),
        "corpus episodes": (["corpus", "episodes", str(large), "OUT", "--workers", "1"], "out.jsonl"),
        "train": (
            ["train", str(train), str(valid), "--vectors", str(default), "--config", str(settings), "--output", "OUT"],
            "run",
        ),
        "adapt": (["adapt", str(train), "--minutes", str(minutes), "--output", "OUT"], "adapted"),
    }


def run(arguments: list[str], *, check: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "memsum", *arguments], capture_output=True, text=True, check=check)


def into(arguments: list[str], output: Path) -> list[str]:
    return [str(output) if argument == "OUT" else argument for argument in arguments]


def digests(output: Path) -> dict[str, str]:
    """The digests of what a job wrote, but for what tells when it was."""
    paths = [output] if output.is_file() else sorted(one for one in output.rglob("*") if one.is_file())
    kept = [one for one in paths if not any(word in one.name for word in VARYING)]
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in kept}


def killed(arguments: list[str], folder: Path, seconds: float) -> bool:
    """Run a job, kill it and all it started some time after it has written its first file; False if it ended before."""
    process = subprocess.Popen(
        [sys.executable, "-m", "memsum", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.poll() is None and not any(one.is_file() for one in folder.rglob("*")):
        time.sleep(0.02)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def attack_by_kills(folder: Path, kills: int, minutes: float) -> None:
    """Kill each job several times and compare."""
    chance = random.Random()
    for name, (arguments, output) in jobs(folder, minutes).items():
        whole, broken = folder / f"whole {name}" / output, folder / f"killed {name}" / output
        whole.parent.mkdir()
        broken.parent.mkdir()
        first = run(into(arguments, whole))
        died = sum(killed(into(arguments, broken), broken.parent, chance.uniform(0.1, 2.5)) for _ in range(kills))
        last = run(into(arguments, broken))
        same = digests(whole) == digests(broken)
        differing = [] if same else [one for one, of in digests(whole).items() if digests(broken).get(one) != of]
        print(
            f"| `{name}` killed | {died} kills | "
            f"exit {first.returncode} and {last.returncode}, {len(digests(whole))} files, "
            f"{'byte-identical' if same else f'different: {differing}'} |",
            flush=True,
        )
        if first.returncode or last.returncode:
            print(first.stderr[-400:], last.stderr[-400:])


@contextmanager
def disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A small file system in memory."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def attack_by_full_disks(folder: Path, minutes: float) -> None:
    """Give each job too little room, then enough."""
    text = folder / "text.txt"
    text.write_text(" ".join(f"The pump of well {n} was repaired in spring." for n in range(200)))
    writing = jobs(folder, minutes)
    writing["summarize --output"] = (["summarize", str(text), "--ratio", "1", "--output", "OUT"], "out.txt")
    writing["study new"] = (
        ["study", "new", "OUT", "--documents", str(folder / "valid.jsonl"), "--systems", "lead-1", "lead-3"],
        "study.db",
    )
    writing["corpus stats, nothing to write"] = (["corpus", "stats", str(folder / "valid.jsonl")], "none")
    for name, (arguments, output) in writing.items():
        whole = folder / f"whole {name}" / output
        whole.parent.mkdir()
        run(into(arguments, whole))
        size = sum(one.stat().st_size for one in whole.parent.rglob("*") if one.is_file())
        with disk(folder / f"disk {name}", max(4, size // 2048)) as small:
            failed = run(into(arguments, small / output))
            lines = [line for line in failed.stderr.splitlines() if line.startswith("memsum: ")]
            subprocess.run(["mount", "-o", "remount,size=400000k", str(small)], check=True)
            again = run(into(arguments, small / output))
            compared = digests(small / output) == digests(whole) if (small / output).exists() else size == 0
        errors = [line for line in lines if "No space left" in line or "full" in line]  # warnings are sentences, too
        told = "one sentence" if len(errors) == 1 and "Traceback" not in failed.stderr else failed.stderr[-300:]
        same = "byte-identical" if compared else "different (a study has secrets)" if "study" in name else "different"
        first = f"exit {failed.returncode}, {told if failed.returncode else 'nothing'}"
        print(f"| `{name}` on a full disk | half of {size // 1024:,} kB | {first};", end=" ")
        print(f"then exit {again.returncode}, {same} |", flush=True)


# What stands before, what is repeated, and what stands behind: the text of a record.
LARGE: dict[str, tuple[str, str, str]] = {
    "prose": ("", "The pump of the well was repaired in spring, and its water was clean again. ", ""),
    "short sentences": ("", "It rained. ", ""),
    "paragraphs of a letter": ("", "a\n\n", ""),
    "lines": ("", "The pump was old\n", ""),
    "one word": ("", "a", ""),
    "words without an end": ("", "pump ", ""),
    "other words": ("", "{} ", ""),
    "Chinese": ("", "泵站在春天修好了。", ""),
    "marks": ("", "? ", ""),
    "Markdown list": ("# Pumps\n\n", "- It rained.\n", ""),
    "Markdown headings": ("", "# It rained\n\nYes.\n\n", ""),
    "HTML": ("<html><body>", "<p>It rained.</p>", "</body></html>"),
    "HTML spans": ("<html><body><p>", "<b>a</b>", "</p></body></html>"),
    "LaTeX": ("\\documentclass{article}\\begin{document}", "\\section{A} It rained. ", "\\end{document}"),
    "mail": ("From: a@b.example\nMessage-ID: <1>\nSubject: a\n\n", "It rained.\n\n", ""),
    "JATS": ("<article><body>", "<p>It rained.</p>", "</body></article>"),
}
LISTS = {
    "list of letters": "a",
    "list of nothing": "",
    "list of sentences": "The pump of the well was repaired in spring.",
}


def attack_by_memory(folder: Path, megabytes: float) -> None:
    """Summarize one large record of each kind, and tell the memory of the largest process."""
    size = int(megabytes * 2**20)
    texts: dict[str, str | list[str]] = {}
    for name, (before, unit, after) in LARGE.items():
        count = size // len((unit if "{}" not in unit else "123456 ").encode())
        body = unit * count if "{}" not in unit else "".join(f"{n:x}z " for n in range(count))
        texts[name] = before + body + after
    texts |= {name: [one] * (size // (len(one) + 3)) for name, one in LISTS.items()}
    for name, text in texts.items():
        source, output = folder / "one.jsonl", folder / "out.jsonl"
        source.write_text(json.dumps({"text": text}, ensure_ascii=False) + "\n")
        began = time.monotonic()
        command = [sys.executable, "-m", "memsum", "batch", str(source), str(output), "--workers", "1", "--restart"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            most = 0
            while process.poll() is None:
                most = max([most, *(_highest(one) for one in (process.pid, *_children(process.pid)))])
                time.sleep(0.05)
        record = json.loads(output.read_text()) if output.exists() else {"error": f"exit {process.returncode}"}
        said = record.get("error") or f"{record['document']['sentences']:,} sentences"
        print(
            f"| batch, one record: {name} | {megabytes:g} MB | {most} MB, {time.monotonic() - began:.0f} s; {said} |",
            flush=True,
        )


def _children(process: int) -> list[int]:
    try:
        tasks = [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []
    return [one for task in tasks for one in (task, *_children(task))]


def _highest(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/status").read_text().split("VmHWM:")[1].split()[0]) // 1024
    except (OSError, IndexError):
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["kills", "disk"])
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=1.0, help="that `adapt` may take")
    parser.add_argument("--megabytes", type=float, default=20, help="of a large record")
    arguments = parser.parse_args()
    for part in arguments.parts:
        with tempfile.TemporaryDirectory() as scratch:
            if part == "kills":
                attack_by_kills(Path(scratch), arguments.kills, arguments.minutes)
            elif part == "memory":
                attack_by_memory(Path(scratch), arguments.megabytes)
            else:
                attack_by_full_disks(Path(scratch), arguments.minutes)


if __name__ == "__main__":
    main()
