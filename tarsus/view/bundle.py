"""The modules of the pages as one script: a page that is one file works without a server.

Browsers load no modules from files that lie beside a page. So modules are put one after another,
those first that others need, each in a function of its own, by a rule that takes two forms only:

    import { a, b } from "./other.js"
    export const a …, export function a …, export class a …
"""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).with_name("page")
"""Where the modules are."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)"$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def bundle(entry: str, folder: Path = PAGE) -> str:
    """Return a script of a module and all modules that it needs."""
    written: dict[str, str] = {}
    _add(entry, folder, written, ())
    parts = [
        f"const _{Path(name).stem} = (() => {{\n{text}}})()\n" for name, text in written.items()
    ]
    return '"use strict"\n' + "\n".join(parts)


def _add(name: str, folder: Path, written: dict[str, str], above: tuple[str, ...]) -> None:
    """Write a module after those that it needs."""
    if name in written:
        return
    if name in above:
        raise ValueError(f"modules need each other: {' → '.join((*above, name))}")
    text = (folder / name).read_text("utf-8")
    for needed in _IMPORT.findall(text):
        _add(needed[1], folder, written, (*above, name))
    text = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = _{Path(found[2]).stem}", text)
    names = _EXPORT.findall(text)
    text = _EXPORT.sub("", text)
    other = _OTHER.search(text)
    if other is not None:
        raise ValueError(f"{name} has a line that cannot be bundled: {other[0]}")
    written[name] = f"{text}\nreturn {{ {', '.join(names)} }}\n"
