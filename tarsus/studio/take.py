"""Recorded lines of a session as a script."""

from __future__ import annotations

from collections.abc import Iterable

# A take: all lines that were said, with the steps between them. It is a script.


class Take:
    """Lines in order; steps that follow each other are one line."""

    def __init__(self, lines: Iterable[str] = (), steps: int = 0) -> None:
        self.lines = list(lines)
        self._steps = steps

    def note(self, line: str) -> None:
        """Note a line that changes something."""
        if self._steps:
            self.lines.append(f"advance {self._steps}")
            self._steps = 0
        self.lines.append(line)

    def note_steps(self, count: int) -> None:
        """Note that the motion went on."""
        self._steps += count

    def script(self) -> str:
        """Return the take as a script, a line each."""
        last = [f"advance {self._steps}"] if self._steps else []
        return "".join(f"{line}\n" for line in [*self.lines, *last])

    @property
    def mark(self) -> tuple[int, int]:
        """Where the take is now, for `back_to`."""
        return len(self.lines), self._steps

    def back_to(self, mark: tuple[int, int]) -> None:
        """Forget what was noted since a mark."""
        if len(self.lines) > mark[0]:
            del self.lines[mark[0] :]
        self._steps = mark[1]
