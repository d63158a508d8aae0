"""The page of the demo: one HTML file beside its films."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template

from sections import Section

TEMPLATE = Path(__file__).with_name("page.html")


def write_page(file: Path, sections: Mapping[str, Section | str], machine: str) -> None:
    """Write the page; a section that failed is the text of its error."""
    parts = {
        "tiles": "\n".join(tile_html(*each) for each in sections.items()),
        "sections": "\n".join(section_html(*each) for each in sections.items()),
        "machine": escape(machine),
    }
    file.write_text(Template(TEMPLATE.read_text("utf-8")).substitute(parts), "utf-8")


def anchor(title: str) -> str:
    """Return the anchor of a section."""
    return title.lower().replace(" ", "-")


def tile_html(title: str, section: Section | str) -> str:
    """Return the link to a section: its film, title and main figure."""
    film, summary = ("", "failed") if isinstance(section, str) else (section.film, section.summary)
    image = f'<img src="{film}" alt="" width="600" height="375">' if film else ""
    text = f"<strong>{escape(title)}</strong><span>{escape(summary)}</span>"
    return f'<a href="#{anchor(title)}">{image}{text}</a>'


def section_html(title: str, section: Section | str) -> str:
    """Return a section as HTML."""
    heading = f"<h2>{escape(title)}</h2>"
    if isinstance(section, str):
        error = f"<p>This section failed:</p><pre>{escape(section)}</pre>"
        return f'<section id="{anchor(title)}" class="failed">{heading}{error}</section>'
    parts = [heading, f"<p>{words(section.text)}</p>"]
    if section.film:
        parts.append(
            f'<div class="columns">{film_html(title, section)}{figures_html(section)}</div>'
        )
    if section.address:
        address = escape(section.address)
        parts.append(f'<p class="address"><a href="{address}">{address}</a></p>')
    if section.table:
        parts.append(table_html(section.table))
    parts += [f'<p class="note">{words(note)}</p>' for note in section.notes]
    for kind, text in (("Command", section.command), ("Python", section.code)):
        if text:
            parts.append(f"<h3>{kind}</h3><pre><code>{escape(text)}</code></pre>")
    return f'<section id="{anchor(title)}">' + "\n".join(parts) + "</section>"


def film_html(title: str, section: Section) -> str:
    """Return the film of a section with its caption."""
    link = f' <a href="{section.view_3d}">Open in 3D</a>' if section.view_3d else ""
    image = f'<img src="{section.film}" alt="{escape(title)}" width="600" height="375">'
    caption = f"<figcaption>{escape(section.caption)}{link}</figcaption>"
    return f'<figure class="film">{image}{caption}</figure>'


def figures_html(section: Section) -> str:
    """Return the figures of a section as a list."""
    rows = (
        f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>" for key, text in section.figures.items()
    )
    return f"<dl>{''.join(rows)}</dl>"


def table_html(rows: list[tuple[str, ...]]) -> str:
    """Return a table whose first row is the header."""
    lines = [
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for row, tag in zip(rows, ["th"] + ["td"] * (len(rows) - 1), strict=True)
    ]
    return f'<div class="scroll"><table>{"".join(lines)}</table></div>'


def words(text: str) -> str:
    """Return text as HTML; what stands between backquotes is code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(parts))
