"""Chapter 6 of O. Ayit: exact contact masters all five scenarios, springs only two of them."""

from __future__ import annotations

from tarsus.scenes.robots import drop, jump, trot
from tarsus.scenes.scene import Scene
from tarsus_lab.reproduce.contact_5_1 import SOURCE
from tarsus_lab.reproduce.contact_jump import CEILING
from tarsus_lab.reproduce.contact_runs import EXACT, PENALTIES, THESIS, RunSummary, summary
from tarsus_lab.reproduce.result import Result, Row, judged

SPRINGS = {"trot": "passes", "drop 0.1 m": "passes"}
"""Where springs pass in the thesis; they fail in the other three scenarios."""

GENERAL = (
    "that springs fail where motion is quick is not so in general: soft and firm springs master "
    "the same scenarios. What fails is a step beyond K λ⁻¹ dt² + 2 D λ⁻¹ dt < 4 or D λ⁻¹ dt < 2, "
    "whatever the depth. The thesis prints no stiffness, damping and integrator, and compares two "
    "contact models on two ways to compute the dynamics (chapter 6)"
)
BOUND = "these springs break the bound on the step, and the simulation warns of it before it starts"


def run() -> Result:
    """Run all scenarios with exact contact, in two variants, and with three sets of springs."""
    laws = {"exact": EXACT, "exact, as in the thesis": THESIS, **PENALTIES}
    scenes: dict[str, Scene] = {
        "trot": trot(),
        **{f"drop {height:g} m": drop(height) for height in (0.1, 0.5, 1.5)},
        "jump": jump(),
    }
    found = {
        (law, name): summary(scene.but(contact=laws[law]), CEILING if name == "jump" else None)
        for law in laws
        for name, scene in scenes.items()
    }
    rows = [_row(law, name, one) for (law, name), one in found.items()]
    for law in laws:
        score = sum(found[law, name].passed for name in scenes)
        rows.append(_score(law, score, len(scenes)))
    title = "Which contact law masters which scenario"
    return Result("contact-score", title, f"{SOURCE}, chapter 6", tuple(rows))


def _row(law: str, name: str, found: RunSummary) -> Row:
    thesis = "passes" if law.startswith("exact") else SPRINGS.get(name, "fails")
    same = found.passed == (thesis == "passes")
    text = f"{'passes' if found.passed else 'fails'}: {found}"
    label = f"{law}: {name}"
    if same or law.startswith("exact"):
        return judged(label, thesis, text, same)
    return Row(label, thesis, text, "unsupported", GENERAL)


def _score(law: str, score: int, of: int) -> Row:
    label, text = f"{law}: score", f"{score} of {of}"
    if law.startswith("exact"):
        return judged(label, "5 of 5", text, score == of)
    reason = BOUND if law == "overdamped" else GENERAL
    return judged(label, "2 of 5", text, score == 2, reason, "unsupported")
