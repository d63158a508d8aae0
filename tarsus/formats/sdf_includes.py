"""Includes and nested models of SDF files, as one flat model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tarsus._lib.checks import listing
from tarsus._lib.errors import WORLD, ModelError
from tarsus.formats.sdf_elements import flag
from tarsus.formats.sdf_frames import MODEL
from tarsus.formats.xml import Context, XmlElement, read_xml

# Models inside models, and several models of a world, as one SDF model.
#
# What is in an inner model gets its name and a slash in front, and the model itself becomes a
# frame. Models that are planes alone, such as Gazebo's ground, are left out: grounds are stated
# elsewhere.


MAX_DEPTH = 50
FRAMES = ("link", "joint", "frame")
ATTRIBUTES = {"pose": "relative_to", "frame": "attached_to", "xyz": "expressed_in"}
ATTRIBUTES |= {"mimic": "joint", "model": "canonical_link"}
TEXTS = ("parent", "child", "gearbox_reference_body", "joint_name")
"""What refers to frames, by attributes of elements and by texts."""


def one_model(root: XmlElement, context: Context, name: str, *, old_axes: bool) -> XmlElement:
    """Return the model of a file; several become one of this `name`, their own in front.

    `old_axes`: axes without a frame are stated in that of their model, as before SDF 1.5.
    """
    worlds = list(root.all("world"))
    includes = Includes(context)
    for place in (root, *worlds):
        includes.expand(place)
        context.ignore_except(place, "model", "world", "gravity")
    models = [model for place in (root, *worlds) for model in place.all("model")]
    planes = [model for model in models if _is_plane(model)]
    if len(planes) < len(models):
        models = [model for model in models if model not in planes]
    if not models:
        raise root.error("has no <model>")
    if planes and planes[0] not in models:
        names = listing(dict.fromkeys(model.string("name") for model in planes))
        told = f"models of planes alone ({len(planes)}) are not taken over, grounds are stated"
        context.warnings.append(f"{told} in simulations: {names}")
    if len(models) == 1:
        (model,) = models
    else:
        stated = worlds[0].attributes.get("name") if worlds else None
        model = XmlElement("model", {"name": stated or name}, root.source, root, models)
        _check_names(model, models)
    flatten(model, old_axes)
    return model


def flatten(model: XmlElement, old_axes: bool = False, depth: int = 0) -> None:
    """Take all that is in inner models, and in theirs, into a model."""
    inner = [child for child in model.children if child.tag == "model"]
    if depth > MAX_DEPTH:
        raise model.error(f"is nested more than {MAX_DEPTH} deep")
    _check_names(model, inner)
    for each in inner:
        flatten(each, old_axes, depth + 1)
        own = _unpacked(each, old_axes)
        model.children.remove(each)
        for element in own:
            element.parent = model
        model.children += own
    _rename(model, "")


def _unpacked(model: XmlElement, old_axes: bool) -> list[XmlElement]:
    """What a model holds, with its name in front, and a frame that stands for the model."""
    name = model.string("name")
    links = [link.string("name") for link in model.all("link")]
    if not links:
        raise model.error("has no <link>")
    if "placement_frame" in model.attributes:
        raise model.error("is inside another and has a placement_frame, which is not read")
    own = [child for child in model.children if child.tag not in ("pose", "static")]
    if flag(model, "static"):
        own = [child for child in own if child.tag != "joint"]
        own += [_weld(link, model) for link in links]
    for element in own:
        _state_frame(element, old_axes)
        if element.tag in FRAMES:
            element.attributes["name"] = f"{name}/{element.string('name')}"
        for each in element.walk():
            _rename_one(each, name)
            if each.tag == "sensor" and each.attributes.get("name"):
                each.attributes["name"] = f"{name}/{each.attributes['name']}"
    canonical = model.attributes.get("canonical_link") or links[0]
    attributes = {"name": name, "attached_to": _scoped(canonical, name)}
    frame = XmlElement("frame", attributes, model.source)
    pose = model.find("pose") or XmlElement("pose", {}, model.source)
    pose.attributes.setdefault("relative_to", MODEL)
    pose.parent, frame.children = frame, [pose]
    return [frame, *own]


def _state_frame(element: XmlElement, old_axes: bool) -> None:
    """Say in which frame something is placed whose frame is that of the inner model by default."""
    if element.tag == "link":
        if element.find("pose") is None:
            element.children.append(XmlElement("pose", {}, element.source, element))
        element.require("pose").attributes.setdefault("relative_to", MODEL)
    if element.tag == "frame" and not element.attributes.get("attached_to"):
        element.attributes["attached_to"] = MODEL
    for axis in (each for each in element.walk() if each.tag in ("axis", "axis2")):
        xyz = axis.find("xyz")
        if xyz is not None and (old_axes or flag(axis, "use_parent_model_frame")):
            xyz.attributes.setdefault("expressed_in", MODEL)


def _rename(element: XmlElement, name: str) -> None:
    for each in element.walk():
        _rename_one(each, name)


def _rename_one(element: XmlElement, name: str) -> None:
    """Let an element of the model `name` refer to what it means in the model around."""
    attribute = ATTRIBUTES.get(element.tag)
    if attribute and element.attributes.get(attribute):
        element.attributes[attribute] = _scoped(element.attributes[attribute], name)
    if element.tag in TEXTS and element.text.strip():
        element.text = _scoped(element.text.strip(), name)


def _scoped(reference: str, name: str) -> str:
    """What the frame is called in the model around."""
    if reference == WORLD or (reference == MODEL and not name):
        return reference
    inner = reference.replace("::", "/")
    whole = f"{name}/{inner}" if name else inner
    return whole.removesuffix(f"/{MODEL}")


def _weld(link: str, model: XmlElement) -> XmlElement:
    """The joint that holds a link of a static model."""
    joint = XmlElement("joint", {"name": f"{link}_static", "type": "fixed"}, model.source, model)
    for tag, text in (("parent", WORLD), ("child", link)):
        joint.children.append(XmlElement(tag, {}, model.source, joint, text=text))
    return joint


def _is_plane(model: XmlElement) -> bool:
    """Whether all that can be seen or touched of a model is planes."""
    forms = [
        form.tag
        for element in model.walk()
        if element.tag == "geometry"
        for form in element.children
    ]
    return bool(forms) and set(forms) == {"plane"}


def _check_names(model: XmlElement, inner: Iterable[XmlElement]) -> None:
    taken = {each.string("name") for tag in FRAMES for each in model.all(tag)}
    for each in inner:
        name = each.string("name")
        if name in taken:
            raise each.error("has a name that something beside it has, too")
        taken.add(name)


# What an SDF file includes, read in place: models of other files, with names and poses of here.


MAX_INCLUDES = 1000
MAX_ELEMENTS = 200_000
"""In all included files, each counted as often as it is included."""
OLDEST = "1.5"
"""Before, axes were stated in another frame."""


class Includes:
    """Replaces `<include>` by the models that are meant."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.count = 0
        self.elements = 0

    def expand(self, place: XmlElement, open_files: tuple[Path, ...] = ()) -> None:
        """Replace the includes of a world or model and of all models inside it."""
        children: list[XmlElement] = []
        for child in place.children:
            found = child
            files = open_files
            if child.tag == "include":
                file = self._file(child)
                if file is None and place.tag != "model":
                    self._leave_out(child)
                    continue
                if file is None:
                    raise child.error(f"is not found: {_reference(child)}{self._hint(child)}")
                files = (*open_files, file)
                found = self._model(child, file, open_files)
            children.append(found)
            found.parent = place
            if found.tag == "model":
                self.expand(found, files)
        place.children = children

    def _file(self, include: XmlElement) -> Path | None:
        """The file that is included, None if it is not found."""
        reference, source = _reference(include), include.source
        folders = self.context.folders
        if Path(reference).suffix in (".sdf", ".world", ".xml"):
            return folders.find(reference, source)
        reference = reference.rstrip("/")
        config = folders.find(f"{reference}/model.config", source)
        if config is None:
            return folders.find(f"{reference}/model.sdf", source)
        stated = list(read_xml(config).all("sdf"))
        if not stated:
            raise ModelError(f"{config} names no <sdf>", source)
        newest = max(stated, key=lambda each: each.attributes.get("version", ""))
        return folders.find(f"{reference}/{newest.text_string()}", source)

    def _model(self, include: XmlElement, file: Path, open_files: tuple[Path, ...]) -> XmlElement:
        """The model of a file, with what the include says otherwise."""
        self.count += 1
        if file in open_files:
            raise include.error(f"is inside itself: {file}")
        if self.count > MAX_INCLUDES:
            raise include.error(f"is one of more than {MAX_INCLUDES}")
        root = read_xml(file)
        self.elements += sum(1 for _ in root.walk())
        if self.elements > MAX_ELEMENTS:
            raise include.error(f"makes more than {MAX_ELEMENTS} elements of all includes")
        models = list(root.all("model"))
        if root.tag != "sdf" or len(models) != 1:
            raise include.error(f"must be of a file with one <model>: {file}")
        version = root.attributes.get("version", OLDEST)
        if [int(x) for x in version.split(".")[:2] if x.isdigit()] < [1, 5]:
            raise include.error(f"is of SDF {version}; from {OLDEST} on files can be included")
        (model,) = models
        _anchor_meshes(model, file)
        if (name := include.find("name")) is not None:
            model.attributes["name"] = name.text_string()
        for tag in ("pose", "static"):
            if (stated := include.find(tag)) is not None:
                model.children = [each for each in model.children if each.tag != tag]
                model.children.append(stated)
                stated.parent = model
        if (placed := include.find("placement_frame")) is not None:
            model.attributes["placement_frame"] = placed.text_string()
        return model

    def _leave_out(self, include: XmlElement) -> None:
        told = f"{include.source}: include of {_reference(include)} is left out: not found"
        self.context.warnings.append(told + self._hint(include))

    def _hint(self, include: XmlElement) -> str:
        hint = self.context.folders.hint(_reference(include))
        return "" if hint is None else f"; package_dirs lacks {hint}"


def _reference(include: XmlElement) -> str:
    return include.require("uri").text_string()


def _anchor_meshes(model: XmlElement, file: Path) -> None:
    """Let relative paths of meshes be relative to the file that states them."""
    for element in model.walk():
        if element.tag != "mesh" or (uri := element.find("uri")) is None:
            continue
        path = uri.text.strip()
        if path and "://" not in path and not Path(path).is_absolute():
            uri.text = str(file.parent / path)
