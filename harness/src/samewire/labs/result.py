"""The result of a lab: figures with intervals beside the prediction."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from samewire.labs.lab import Trial
from samewire.labs.session import Ran
from samewire.paths import CHECKOUT, RESULTS
from samewire.race import comparisons, validity
from samewire.race.comparisons import Figures
from samewire.race.machine import machine
from samewire.race.metrics import metric
from samewire.race.statistics import mean_interval
from samewire.race.verdicts import A_HIGHER, B_HIGHER
from samewire.record import why_stale
from samewire.report.numbers import Estimate

FOLDER = RESULTS / "labs"


@dataclass(frozen=True)
class Guess:
    """What the reader predicted: the label of a trial, how many times as much the worst has, and why."""

    best: str
    factor: float
    why: str = ""


def result(ran: Ran, guess: Guess | None) -> dict[str, Any]:
    """What a lab found: a dictionary that JSON can hold.

    `figures`: by metric and label the mean of the rounds with its interval, and the rounds. `verdict`: the prediction
    and what was measured, in words.
    """
    lab = ran.wish.lab
    figures = _figures(ran)
    compared = {
        (one.metric, one.a, one.b): one
        for one in comparisons.comparisons(figures, lab.metrics)
        if one.ratio is not None
    }
    shown = {key: _shown(key, figures, [trial.label for trial in ran.trials]) for key in lab.metrics}
    needs = [need for trial in ran.trials for need in trial.entrant.server.needs]
    return {
        "lab": lab.name,
        "title": lab.title,
        "question": lab.question,
        "started_at": ran.started.isoformat(timespec="seconds"),
        "seed": ran.wish.seed,
        "small": ran.wish.small,
        "commit": commit(),
        "knobs": dict(ran.wish.values),
        "rounds": ran.rounds,
        "machine": machine(needs),
        "trials": [
            {
                "label": trial.label,
                "server": trial.entrant.server.id,
                "variant": trial.entrant.variant,
                "env": dict(trial.env),
                # A program has no contract.
                "not_proven": lab.service and _not_proven(trial),
            }
            for trial in ran.trials
        ],
        "figures": shown,
        "prediction": _prediction(ran, shown, compared, figures.doubts, guess),
        "reasons": [asdict(one) for one in lab.reasons],
        "next": [asdict(one) for one in lab.next],
        "remarks": [*ran.remarks, *_warnings(ran)],
    }


def _not_proven(trial: Trial) -> str:
    return "wrong on purpose" if trial.planted else why_stale(trial.entrant.server)


def _figures(ran: Ran) -> Figures:
    labels = {trial.label: trial.entrant for trial in ran.trials}
    values = {
        label: {key: {number: run.metrics.get(key) for number, run in runs.items()} for key in ran.wish.lab.metrics}
        for label, runs in ran.runs.items()
    }
    doubts = {
        label: reason
        for label, runs in ran.runs.items()
        if (reason := "cold" if ran.wish.small else _unsteady(runs.values(), fresh=ran.wish.lab.fresh))
    }
    warnings = {label: [run.warnings for run in runs.values()] for label, runs in ran.runs.items()}
    bounds = {
        label: {key: bound for key in ran.wish.lab.metrics if (bound := validity.bound(metric(key), warnings[label]))}
        for label in labels
    }
    return Figures(labels, dict.fromkeys(labels, True), values, doubts, bounds)


def _unsteady(runs: Any, *, fresh: bool) -> str:
    """Why nothing is decided on a server: it was measured as it still became faster, where that is not the question."""
    return "" if fresh or all(run.steady for run in runs) else "not steady when it was measured"


def _shown(key: str, figures: Figures, labels: Sequence[str]) -> dict[str, Any]:
    """A metric as a table has it: name, unit, and for each label mean, interval and rounds, in the metric's unit."""
    about = metric(key)
    rows = []
    for label in labels:
        rounds = list(figures.rounds(label, key).values())
        of_rounds = Estimate.of(mean_interval(rounds).as_dict()) if rounds else Estimate()
        told = replace(of_rounds.scaled(about.scale), bound=figures.bounds.get(label, {}).get(key, ""))
        text = f"{told.mean_text()} ({told.interval_text()})" if told.has_interval else told.mean_text()
        row = asdict(told) | {"label": label, "rounds": [value * about.scale for value in rounds], "text": text}
        rows.append(row)
    return {"name": about.name, "unit": about.unit, "about": about.about, "rows": rows}


def _prediction(
    ran: Ran,
    shown: Mapping[str, Any],
    compared: Mapping[tuple[str, str, str], Any],
    doubts: Mapping[str, str],
    guess: Guess | None,
) -> dict[str, Any]:
    """The prediction, the best and the worst trial, their ratio with its interval, and a verdict."""
    asked = ran.wish.lab.prediction
    about = metric(asked.metric)
    rows = [row for row in shown[asked.metric]["rows"] if row["mean"] is not None]
    told: dict[str, Any] = {
        "question": asked.question,
        "metric": asked.metric,
        "asked_for": asked.best,
        "guess": asdict(guess) if guess else None,
    }
    if len(rows) < 2:
        return told | {"verdict": "Nothing was measured that the prediction can be set beside."}
    ordered = sorted(rows, key=lambda row: row["mean"], reverse=asked.best == "highest")
    best, worst = ordered[0]["label"], ordered[-1]["label"]
    ratio = _ratio(asked.metric, worst, best, compared)
    if asked.best == "highest" and ratio:
        ratio = {"mean": 1 / ratio["mean"], "low": _inverse(ratio["high"]), "high": _inverse(ratio["low"])}
    alike = [row["label"] for row in ordered[1:] if not _decided(asked.metric, best, row["label"], compared)]
    told |= {"best": best, "worst": worst, "ratio": ratio, "not_told_apart": alike, "name": about.name}
    told["doubts"] = {label: doubts[label] for label in (best, *alike) if label in doubts}
    return told | {"verdict": _verdict(told, guess)}


def _inverse(value: float | None) -> float | None:
    return 1 / value if value else None


def _ratio(key: str, a: str, b: str, compared: Mapping[tuple[str, str, str], Any]) -> dict[str, float | None] | None:
    """The ratio of `a` to `b` with its interval, None where there is none."""
    if found := compared.get((key, a, b)):
        return {name: getattr(found.ratio, name) for name in ("mean", "low", "high")}
    if found := compared.get((key, b, a)):
        turned = found.ratio
        return {"mean": 1 / turned.mean, "low": _inverse(turned.high), "high": _inverse(turned.low)}
    return None


def _decided(key: str, a: str, b: str, compared: Mapping[tuple[str, str, str], Any]) -> bool:
    found = compared.get((key, a, b)) or compared.get((key, b, a))
    return bool(found and found.verdict in (A_HIGHER, B_HIGHER))


def _verdict(told: Mapping[str, Any], guess: Guess | None) -> str:
    """The prediction beside what was measured, in words."""
    ratio, alike = told["ratio"], told["not_told_apart"]
    times = "" if not ratio else f"{ratio['mean']:.3g} times"
    if ratio and ratio["low"] and ratio["high"]:
        times += f" ({ratio['low']:.3g} to {ratio['high']:.3g})"
    measured = f"{told['best']!r} has the {told['asked_for']} {told['name'].lower()}."
    if times:
        measured += f" Between it and {told['worst']!r} the factor is {times}."
    doubts = told["doubts"]
    if told["best"] in doubts:
        measured += f" Nothing is decided: {told['best']!r} was {doubts[told['best']]}."
    else:
        if unsteady := [label for label in alike if label in doubts]:
            why = doubts[unsteady[0]]
            measured += f" Nothing is decided about {', '.join(map(repr, unsteady))}, {why}."
        if close := [label for label in alike if label not in doubts]:
            measured += f" These rounds do not tell it apart from {', '.join(map(repr, close))}."
    if not guess:
        return measured
    if guess.best == told["best"]:
        first = "You named the right one."
    elif guess.best in alike:
        first = f"You named {guess.best!r}: these rounds do not decide between it and the first."
    else:
        first = f"You named {guess.best!r}, and it is another."
    if not ratio or not ratio["low"] or not ratio["high"]:
        return f"{first} {measured}"
    inside = ratio["low"] <= guess.factor <= ratio["high"]
    near = max(guess.factor / ratio["mean"], ratio["mean"] / guess.factor) <= 2
    second = (
        "is inside the interval"
        if inside
        else "is outside the interval, by less than 2 times"
        if near
        else "is far off"
    )
    return f"{first} Your factor, {guess.factor:g}, {second}. {measured}"


def _warnings(ran: Ran) -> list[str]:
    """What is to be known of single runs: each text once, with how often it came."""
    counts: dict[str, int] = {}
    for label, runs in ran.runs.items():
        for run in runs.values():
            for warning in [*run.warnings, *([run.failed.splitlines()[0]] if run.failed else [])]:
                counts[f"{label}: {warning}"] = counts.get(f"{label}: {warning}", 0) + 1
        if not ran.wish.small and (reason := _unsteady(runs.values(), fresh=ran.wish.lab.fresh)):
            counts[f"{label}: {reason}"] = 1
    return [text if number == 1 else f"{text} ({number} runs)" for text, number in counts.items()]


def commit() -> str:
    """The commit of the checkout, with a plus if files differ from it; empty outside git."""
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--abbrev=10"], cwd=CHECKOUT, capture_output=True, text=True
    )
    return found.stdout.strip()


def write(found: Mapping[str, Any], folder: Path = FOLDER) -> Path:
    """Keep a result as a file, whose path is returned."""
    moment = found["started_at"].replace("-", "").replace(":", "")[:15]
    path = folder / f"{moment}Z-{found['lab']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1))
    return path
