"""A take: all lines that were said, with the steps between them. It is a script."""

from __future__ import annotations

from collections.abc import Iterable


class Take:
    """Lines in order; steps that follow each other are one line."""

    def __init__(self, lines: Iterable[str] = (), steps: int = 0) -> None:
        self.lines = list(lines)
        self.steps = steps
        """Steps since the last line."""

    def note(self, line: str) -> None:
        """Note a line that changes something."""
        self._close()
        self.lines.append(line)

    def note_steps(self, count: int) -> None:
        """Note that the motion went on."""
        self.steps += count

    def script(self) -> str:
        """Return the take as a script, a line each."""
        self._close()
        return "\n".join(self.lines) + ("\n" if self.lines else "")

    def _close(self) -> None:
        if self.steps:
            self.lines.append(f"advance {self.steps}")
            self.steps = 0
