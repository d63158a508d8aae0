"""What is typed wrong is told where it was typed, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pages import eventually, until, visit

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

LINES = [
    "add box plank -size 1 .2 .05 -t 0 0 1",
    "add box post -size .1 .1 1 -t 0 0 .5",
    "add spring coil -a plank .4 0 0 -b world .4 0 2 -stiffness 200",
]


@pytest.fixture(scope="module")
def opened(chromium: Any) -> Iterator[Any]:
    """A stage with a plank on a spring, and a page that shows it."""
    stage = Stage()
    for line in LINES:
        assert stage.do(line).ok
    with open_studio(stage, port=0) as studio:
        page = visit(chromium, studio.url)
        yield stage, page
        page.context.close()


def select(page: Any, name: str) -> None:
    page.evaluate(f"studio.select({name!r})")
    until(page, f"studio.selected === {name!r}")


def type_into(page: Any, row: str, text: str, part: int = 0) -> None:
    """Type into a field of the inspector, and leave it."""
    box = page.locator(f".inspector [data-row={row}] input").nth(part)
    box.fill(text)
    box.press("Enter")


@pytest.mark.parametrize("text", ["heavy", "-1", "0", "", "1 2", "nan", "inf", "1e999", '"'])
def test_a_wrong_mass_is_told_at_the_field(opened: Any, text: str) -> None:
    stage, page = opened
    mass = next(x.mass for x in stage.document.description.bodies if x.name == "plank")
    select(page, "plank")
    type_into(page, "m", text)
    message = page.locator(".inspector [data-row=m] .field-message")
    eventually(page, lambda: message.inner_text(), "a message at the field")
    assert page.locator(".inspector [data-row=m] input").get_attribute("aria-invalid") == "true"
    assert next(x.mass for x in stage.document.description.bodies if x.name == "plank") == mass
    page.keyboard.press("Escape")
    assert message.inner_text() == ""
    page.evaluate("document.activeElement.blur()")
    assert not page.errors


def test_a_right_mass_is_taken(opened: Any) -> None:
    stage, page = opened
    select(page, "plank")
    type_into(page, "m", "3,5")
    eventually(
        page,
        lambda: any(x.mass == 3.5 for x in stage.document.description.bodies),
        "a mass of 3.5 kg",
    )


def test_numbers_of_a_spring(opened: Any) -> None:
    stage, page = opened
    select(page, "coil")
    type_into(page, "stiffness", "-5")
    message = page.locator(".inspector [data-row=stiffness] .field-message")
    eventually(page, lambda: message.inner_text(), "a message at the field")
    assert stage.document.parts["coil"].stiffness == 200.0
    type_into(page, "stiffness", "350")
    eventually(page, lambda: stage.document.parts["coil"].stiffness == 350.0, "350 N/m")


def test_a_name_that_is_taken(opened: Any) -> None:
    stage, page = opened
    select(page, "plank")
    page.fill(".inspector input.name", "post")
    page.press(".inspector input.name", "Enter")
    message = page.locator(".inspector .head .field-message")
    eventually(page, lambda: message.inner_text(), "a message at the name")
    assert "plank" in stage.document.names


def test_forms_of_sliders_and_charts(opened: Any) -> None:
    stage, page = opened
    page.evaluate("studio.select('')")
    page.click("[data-tab=sliders]")
    for name, text in (
        ("name", "k"),
        ("target", "nobody.stiffness"),
        ("low", "100"),
        ("high", "500"),
    ):
        page.fill(f"#slider-{name}", text)
    page.press("#slider-high", "Enter")
    eventually(page, lambda: page.inner_text("#slider-message"), "a message at the form")
    assert page.get_attribute("#slider-target", "aria-invalid") == "true"
    assert page.get_attribute("#slider-name", "aria-invalid") == "false"
    page.fill("#slider-target", "coil.stiffness")
    page.press("#slider-high", "Enter")
    eventually(page, lambda: "k" in stage.document.sliders, "a slider")
    page.locator("[data-slider=k]").press("End")
    eventually(page, lambda: stage.document.parts["coil"].stiffness == 500.0, "500 N/m")
    page.fill("[aria-label='Add a quantity to the chart']", "q:nobody")
    page.press("[aria-label='Add a quantity to the chart']", "Enter")
    eventually(page, lambda: page.inner_text(".charts > .field-message"), "a message")
    assert not stage.document.charts
    assert not page.errors


def test_names_are_never_markup(opened: Any) -> None:
    stage, page = opened
    evil = "<img/src=x/onerror=document.title='owned'>"
    assert stage.do("pause").ok
    page.fill(".prompt", f"add box {evil}")
    page.press(".prompt", "Enter")
    eventually(page, lambda: evil in page.inner_text(".log"), "the line in the log")
    page.evaluate("studio.run('add box <b>bold</b>')")
    page.wait_for_timeout(300)
    assert page.locator("img").count() == 0 and page.locator("b").count() == 0
    assert page.title() != "owned"
