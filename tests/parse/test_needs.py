"""What training needs is known before it starts, and what can't be had is refused then, with a way out."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from gpuparse.errors import UsageError
from gpuparse.options import Strategy
from gpuparse.parse import needs
from gpuparse.parse.features.cache import save
from gpuparse.parse.features.examples import Source, build_training_data
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.parse.needs import Needs, check_needs, estimate_needs
from gpuparse.trees import load_language
from tests.cli.test_command import COMMAND, run
from tests.small_model import synthetic_trees

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what is free, and limits it")
GB = 10**9
Disk = namedtuple("Disk", "free")

# VmHWM counts from the start of the program; what getrusage tells counts from the fork, the tests' own memory included.
PEAK = """
import json, re
from pathlib import Path
from gpuparse.cli.main import run
try:
    run()
except SystemExit as end:
    peak = re.search(r"VmHWM:\\s+([0-9]+) kB", Path("/proc/self/status").read_text())[1]
    print(json.dumps([end.code or 0, 1024 * int(peak)]))
"""


@pytest.mark.parametrize("sentences", [40, 600])
@pytest.mark.parametrize("max_children", [4, 7])
def test_the_disk_that_the_matrix_takes_is_estimated_within_a_third(
    tmp_path: Path, sentences: int, max_children: int
) -> None:
    trees = synthetic_trees(sentences)
    vocabulary = build_vocabulary(trees, load_language())
    estimate = estimate_needs(Source(trees, vocabulary, Strategy.r2l, max_children))
    save(build_training_data(Source(trees, vocabulary, Strategy.r2l, max_children)), tmp_path / "matrix", "0" * 64)
    taken = sum(file.stat().st_size for file in (tmp_path / "matrix").iterdir())
    assert 0.75 * taken < estimate.matrix < 1.33 * taken


@LINUX
@pytest.mark.parametrize("sentences", [200, 1500])
def test_the_memory_that_training_takes_is_estimated_within_a_factor_of_two(tmp_path: Path, sentences: int) -> None:
    treebank = tmp_path / "train.mrg"
    treebank.write_text(run("synth", str(sentences)).stdout)
    options = ["--max-trees", "2", "--jobs", "2", "--no-tagger", "--tune-fraction", "0", "--output", "m"]
    command = [sys.executable, "-c", PEAK, "train", str(treebank), *options]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    code, taken = json.loads(answer.stdout.splitlines()[-1])
    assert code == 0, answer.stderr
    amount = next(line for line in answer.stderr.splitlines() if "of memory" in line).split("about ")[1]
    estimate = float(amount.split()[0]) * {"MB": 10**6, "GB": GB}[amount.split()[1]]
    assert taken / 2 < estimate < 2 * taken


@LINUX
def test_a_run_that_can_not_fit_into_memory_is_refused_before_it_starts(tmp_path: Path) -> None:
    treebank = tmp_path / "train.mrg"
    treebank.write_text(("(TOP (S " + " ".join(f"(NP (NN w{n}))" for n in range(120)) + "))\n") * 300)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 * GB, 2 * GB))

    command = [*COMMAND, "train", str(treebank), "--output", str(tmp_path / "m"), "--jobs", "1", "--keep-all"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert answer.returncode == 2, answer.stderr
    assert "of memory, and" in answer.stderr
    assert "--max-words 40" in answer.stderr
    assert "tagger" not in answer.stderr
    assert not (tmp_path / "m").exists()


def test_what_may_be_too_little_is_told_and_what_must_be_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(needs, "available_memory", lambda: 10 * GB)
    monkeypatch.setattr("shutil.disk_usage", lambda _: Disk(4 * GB))
    cache, logs = tmp_path / "cache", tmp_path / "logs"
    assert check_needs(Needs(9 * GB, 3 * GB, GB), logs, cache) == []
    assert check_needs(Needs(9 * GB, 30 * GB, GB), logs, None) == []
    (memory,) = check_needs(Needs(15 * GB, 3 * GB, GB), logs, cache)
    assert memory.startswith("training needs about 15.0 GB of memory, and 10.0 GB are free. ")
    (disk,) = check_needs(Needs(GB, 6 * GB, GB), logs, cache)
    assert f"6.0 GB of disk for {cache}, and 4.0 GB are free. --cache" in disk
    for too_much in (Needs(21 * GB, GB, GB), Needs(GB, 9 * GB, GB), Needs(GB, GB, 9 * GB)):
        with pytest.raises(UsageError, match="training needs about"):
            check_needs(too_much, logs, cache)


def test_where_a_matrix_is_already_there_its_place_counts_as_free(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: Disk(0))
    (tmp_path / "matrix.features.npy").write_bytes(bytes(1000))
    assert needs.free_disk(tmp_path) == 1000
    assert needs.free_disk(tmp_path / "new" / "cache") == 0
