"""Seals of sessions: keyed digests that tell what this user wrote on this machine from the rest.

The key is a secret of the user, in the folder for states of programs. Whoever writes a session
elsewhere, or changes one with an editor, cannot make its seals.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from pathlib import Path

from tarsus.files import replacing
from tarsus.studio.session_folder import default_folder, read_bounded

KEY = "session.key"
KEY_BYTES = 32


class Sealer:
    """Makes and checks seals with a key; `problem` is why the key cannot be kept, if it cannot."""

    def __init__(self, key: bytes, problem: str = "") -> None:
        self._key, self.problem = key, problem

    def seal(self, *texts: str) -> str:
        """Return the seal of texts in their order."""
        digest = hmac.new(self._key, digestmod="sha256")
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    def fits(self, seal: object, *texts: str) -> bool:
        """Return whether a seal is that of the texts."""
        made = self.seal(*texts)
        return isinstance(seal, str) and hmac.compare_digest(seal.encode(), made.encode())


def user_sealer() -> Sealer:
    """Return the sealer of this user; its key is made when it is needed first.

    Without a folder to keep it in the key is of this process only: what is sealed then does not
    fit after a restart.
    """
    path = default_folder().parent / KEY
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.path.lexists(path):
            _create(path)
        return Sealer(_read(path))
    except OSError as error:
        return Sealer(secrets.token_bytes(KEY_BYTES), str(error))


def _create(path: Path) -> None:
    try:
        with replacing(path, new=True) as part:
            part.chmod(0o600)
            part.write_bytes(secrets.token_bytes(KEY_BYTES))
    except FileExistsError:  # another process was faster
        pass


def _read(path: Path) -> bytes:
    key, status = read_bounded(path, KEY_BYTES)
    private = os.name != "posix" or (
        status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
    )
    if len(key) != KEY_BYTES or not private:
        raise PermissionError(
            f"{path} must have {KEY_BYTES} bytes, belong to this user and be closed to others "
            "(mode 0600): remove it, and a new one is made"
        )
    return key
