"""The studio: build machines and play with them, by lines of a command language or in a browser.

stage = ts.studio.Stage()
stage.do("add rod pendulum -length 1")
studio = ts.studio.open(stage)       # a page in the browser, at studio.url
"""

from tarsus.studio.document import Document, Guide
from tarsus.studio.language import LineError
from tarsus.studio.server import Studio
from tarsus.studio.server import open_studio as open
from tarsus.studio.session import Answer, Stage

__all__ = ["Answer", "Document", "Guide", "LineError", "Stage", "Studio", "open"]
