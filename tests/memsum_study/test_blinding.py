"""Nothing that a browser receives tells which system is which."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from memsum_study.plan import Ballot, Plan, StudyOptions, plan_study
from memsum_study.records import CRITERIA, render_records
from memsum_study.report import render, report_file
from memsum_study.store import Study, write_study
from memsum_train.evaluation.data import Data

from .conftest import EXTRACTS, HERON, MAGPIE, SECRET, MakeStudy, Open, predictions_of
from .conftest import LEFT_LEFT_RIGHT as A

SECRETS = [MAGPIE, HERON, "magpie", "heron", "system", "predictions", "baseline", "seed", "0" * 12, SECRET]


def swapped_study(data: Data, path: Path) -> Path:
    """The same study with the systems exchanged in all but what they extract: names, numbers, signatures."""
    systems = [predictions_of(name, data) for name in (MAGPIE, HERON)]
    plan = plan_study("The town study", data, systems, StudyOptions(annotators=2, overlap=2), secret=SECRET)
    swapped = replace(
        plan,
        extracts={(document, 1 - system): taken for (document, system), taken in plan.extracts.items()},
        assignments=tuple(replace(one, left=1 - one.left, right=1 - one.right) for one in plan.assignments),
    )
    write_study(path, swapped)
    return path


def visit(client: Any) -> list[str]:
    """Everything a browser receives in a study: bodies, headers and cookies, with times and codes taken out."""
    paths = ["/", "/static/study.js", "/static/study.css", "/static/icon.svg"]
    answers = [client.get(path) for path in paths]
    for number in (1, 2, 3):
        for path in ("", "?source=1", "?query=bees", "/source", "/relevant?query=ferry"):
            answers.append(client.get(f"/pairs/{number}{path}"))
        answers.append(client.post(f"/pairs/{number}", data=A, follow_redirects=False))
        answers += [client.get(f"/pairs/{number}{path}") for path in ("", "?source=1", "/source")]
    answers += [client.get(path) for path in ("/next", "/done", "/pairs/9")]
    received = []
    for answer in answers:
        head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        text = f"{answer.status_code}\n{head}\n{answer.content.decode()}"
        text = re.sub(r'name="opened" value="[\d.]+"|(last-modified|etag): .*', "", text)
        received.append(text.replace(client.cookies["annotator"], "CODE"))
    return received


def test_no_byte_names_a_system(open_client: Open) -> None:
    client = open_client(annotators=2, overlap=2)
    everything = "\n".join([*visit(client), json.dumps(dict(client.cookies))]).lower()
    assert "summary a" in everything
    for secret in SECRETS:
        found = re.search(rf"(?<![\w-]){re.escape(secret.lower())}(?![\w-])", everything)
        allowed = secret == "system" and found and "system-ui" in everything
        assert found is None or allowed, everything[max(0, found.start() - 60) : found.end() + 60]


def test_exchanging_the_systems_changes_no_byte(open_client: Open, study_data: Data, tmp_path: Path) -> None:
    """If anything depended on who a system is, by name or by number, the two would differ somewhere."""
    ours = open_client(annotators=2, overlap=2)
    theirs = open_client(swapped_study(study_data, tmp_path / "swapped.db"))
    assert visit(ours) == visit(theirs)


def test_the_order_of_sentences_and_pages_tells_nothing(open_client: Open) -> None:
    client = open_client(annotators=2, overlap=2)
    study: Study = client.study  # type: ignore[attr-defined]
    # Magpie took the orchard's sentences as 4, 1: shown in that order, they would give it away.
    assert EXTRACTS[MAGPIE]["orchard"] == [4, 1]
    for number in (1, 2, 3):
        page = client.get(f"/pairs/{number}").text
        for letter in "ab":
            section = re.search(rf'id="summary-{letter}".*?</section>', page, re.DOTALL)
            assert section is not None
            sentences = re.findall(r'<p class="sentence[^"]*">(.*?)</p>', section[0])
            task = study.task(study.annotators()[0], number)
            assert task is not None
            places = [
                [text.split(" <")[0][:20] for text in task.text].index(one[:20]) for one in sentences if "&" not in one
            ]
            assert places == sorted(places)


def sides(plan: Plan) -> dict[tuple[int, int], int]:
    """Which system an annotator has on the left, by annotator and document."""
    return {(one.annotator, one.pair.document): one.left for one in plan.assignments}


def test_who_knows_layout_seed_and_code_predicts_no_better_than_chance(study_data: Data) -> None:
    """The same layout and seed, twenty times: no earlier study, and no guess at the secret, tells of the next one."""
    systems = [predictions_of(name, study_data) for name in (MAGPIE, HERON)]
    options = StudyOptions(annotators=4, overlap=4)
    made = [sides(plan_study("t", study_data, systems, options)) for _ in range(20)]
    guesses = [sides(plan_study("t", study_data, systems, options, secret=guess)) for guess in ("2022", "None", "0")]
    right = [one[key] == guess[key] for one in made for guess in (*guesses, made[0]) if one is not guess for key in one]
    assert len(right) > 1000
    assert 0.4 < sum(right) / len(right) < 0.6


def test_the_secret_stays_in_the_file(make_study: MakeStudy) -> None:
    path = make_study(annotators=2, overlap=2)
    with Study(path, write=True) as study:
        for annotator in study.annotators():
            study.cast(annotator, 1, Ballot(dict.fromkeys(CRITERIA, "left")))
        [(secret,)] = study.rows("SELECT value FROM secret")
        records = study.records()
        told = [render_records(records, form) for form in ("jsonl", "csv", "label-studio")]
        told += [repr(study.settings), repr(study.annotators())]
    assert secret == SECRET
    report = report_file(path)
    told += [render(report, form) for form in ("table", "json", "markdown")]
    assert not any(secret in text for text in told)
    assert report == report_file(path)
