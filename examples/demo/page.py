"""The page of the demo: one HTML file beside its films."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template

from sections import Section


def write_page(file: Path, sections: Mapping[str, Section], machine: str) -> None:
    """Write the page from its template: links to the sections, and the sections."""
    template = Template(Path(__file__).with_name("page.html").read_text("utf-8"))
    links, articles = zip(*(section_html(*each) for each in sections.items()), strict=True)
    parts = {"links": "\n".join(links), "sections": "\n".join(articles)}
    file.write_text(template.substitute(parts, machine=escape(machine)), "utf-8")


def section_html(title: str, section: Section) -> tuple[str, str]:
    """Return the link to a section and the section."""
    name, heading = title.lower().replace(" ", "-"), escape(title)
    image = f'<img src="{section.film}" alt="{heading}" width="600" height="375">'
    link = f"<strong>{heading}</strong><span>{escape(section.summary)}</span>"
    parts = [f"<h2>{heading}</h2>", f"<p>{text_html(section.text)}</p>"]
    if section.film:
        link = image + link
        view = f' <a href="{section.view_3d}">Open in 3D</a>' if section.view_3d else ""
        caption = f"<figcaption>{escape(section.caption)}{view}</figcaption>"
        rows = (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in section.figures.items())
        figure = f'<figure class="film">{image}{caption}</figure>'
        parts.append(f'<div class="columns">{figure}<dl>{"".join(rows)}</dl></div>')
    if section.address:
        parts.append(f'<p><a href="{section.address}">{section.address}</a></p>')
    if section.table:
        rows = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in section.table]
        rows[0] = rows[0].replace("td>", "th>")
        table = "".join(f"<tr>{row}</tr>" for row in rows)
        parts.append(f'<div class="scroll"><table>{table}</table></div>')
    parts += [f'<p class="note">{text_html(note)}</p>' for note in section.notes]
    blocks = {"Error": section.error, "Command": section.command, "Python": section.code}
    for kind, text in blocks.items():
        if text:
            parts.append(f"<h3>{kind}</h3><pre><code>{escape(text)}</code></pre>")
    failed = ' class="failed"' if section.error else ""
    return (
        f'<a href="#{name}">{link}</a>',
        f'<section id="{name}"{failed}>' + "\n".join(parts) + "</section>",
    )


def text_html(text: str) -> str:
    """Return text as HTML; what stands between backquotes is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))
