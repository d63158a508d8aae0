"""A take: all lines that were said, with the steps between them. It is a script."""

from __future__ import annotations


class Take:
    """Lines in order; steps that follow each other are one line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._steps = 0

    def note(self, line: str) -> None:
        """Note a line that changes something."""
        self._close()
        self.lines.append(line)

    def note_steps(self, count: int) -> None:
        """Note that the motion went on."""
        self._steps += count

    def script(self) -> str:
        """Return the take as a script, a line each."""
        self._close()
        return "\n".join(self.lines) + ("\n" if self.lines else "")

    def _close(self) -> None:
        if self._steps:
            self.lines.append(f"advance {self._steps}")
            self._steps = 0
