"""The functions of `examples/functions` without a server: what they find in photographs and in a generated clip."""

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from cvat_sdk.auto_annotation import TrackableShape
from cvat_sdk.masks import decode_mask
from PIL import Image, ImageDraw

ROOT = Path(__file__).parents[2]


def load(name: str) -> ModuleType:
    """Loads an example as `cvat-cli` does."""
    spec = importlib.util.spec_from_file_location("__cvat_function__", ROOT / "examples" / "functions" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def photo(name: str) -> Image.Image:
    return Image.open(ROOT / "demo" / "photos" / f"{name}.jpg")


def iou(a: list[float], b: list[float]) -> float:
    """Intersection over union of two boxes given by their corners."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    shared = max(width, 0) * max(height, 0)
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def detect(name: str, threshold: float | None = None) -> list:
    return load("detect_faces").create().detect(SimpleNamespace(conf_threshold=threshold), photo(name))


def test_a_face_and_its_eyes_are_found() -> None:
    face, *eyes = detect("astronaut")
    assert (face.label_id, [eye.label_id for eye in eyes]) == (0, [1, 1])
    assert iou(face.points, [175, 70, 270, 165]) > 0.7
    for eye, box in zip(sorted(eyes, key=lambda eye: eye.points), ([188, 86, 216, 114], [232, 89, 260, 117])):
        assert iou(eye.points, box) > 0.5


@pytest.mark.parametrize("name", ["coffee", "rocket", "hubble-deep-field"])
def test_nothing_is_found_where_nobody_is(name: str) -> None:
    assert detect(name) == []


def test_a_threshold_hides_doubtful_results() -> None:
    score = detect("astronaut")[0].score
    assert len(detect("astronaut", score)) == 1
    assert detect("astronaut", (score + 1) / 2) == []


def segment(image: Image.Image, pos: list, neg: list = [], box: tuple | None = None) -> np.ndarray:
    segmenter = load("segment_by_clicks")
    prompts = SimpleNamespace(pos_points=pos, neg_points=neg, bounding_box=box)
    (shape,) = segmenter.detect(None, segmenter.preprocess_image(None, image), prompts)
    assert shape.type == "mask"
    return decode_mask(shape.points, image_width=image.width, image_height=image.height)


def test_the_retina_is_separated_from_its_background() -> None:
    mask = segment(photo("retina"), [(700, 500)])
    y, x = np.mgrid[: mask.shape[0], : mask.shape[1]]
    disc = (x - 705) ** 2 + (y - 705) ** 2 < 690**2
    assert (mask & disc).sum() / (mask | disc).sum() > 0.8


def test_a_box_and_clicks_select_the_cup() -> None:
    image = photo("coffee")
    mask = segment(image, [(290, 110)], [(560, 350)], ((170, 15), (430, 320)))
    assert mask[110, 290]
    assert not mask[350, 560]
    assert not mask[:, 440:].any()
    assert 10_000 < mask.sum() < 60_000


def test_a_single_click_selects_the_coffee() -> None:
    mask = segment(photo("coffee"), [(290, 140)])
    assert mask[140, 290]
    assert not mask[:, :160].any() and not mask[:, 440:].any()
    assert 2_000 < mask.sum() < 40_000


def test_every_clicked_part_is_selected() -> None:
    image = Image.new("RGB", (300, 200), "navy")
    draw = ImageDraw.Draw(image)
    for left in (20, 120, 220):
        draw.ellipse([left, 60, left + 60, 140], fill="orange")
    mask = segment(image, [(50, 100), (150, 100)])
    assert mask[100, 50] and mask[100, 150]
    assert not mask[100, 250]


SIZE, FRAMES = 40, 30


def clip() -> list[tuple[Image.Image, list[float]]]:
    """A piece of a photograph that moves over another photograph and grows, and where it is."""
    background = photo("hubble-deep-field").convert("RGB").resize((320, 240))
    frames = []
    for number in range(FRAMES):
        side = SIZE + number
        left, top = 20 + 7 * number, 60 + round(40 * np.sin(number / 5))
        frame = background.copy()
        frame.paste(photo("astronaut").crop((170, 60, 290, 180)).resize((side, side)), (left, top))
        frames.append((frame, [left, top, left + side, top + side]))
    return frames


@pytest.mark.parametrize("type", ["rectangle", "polygon"])
def test_a_moving_object_is_followed(type: str) -> None:
    tracker, frames = load("track_shapes"), clip()
    context = SimpleNamespace(original_shape_type=type)
    first, (left, top, right, bottom) = frames[0]
    points = [left, top, right, bottom] if type == "rectangle" else [left, top, right, top, right, bottom, left, bottom]
    shape = TrackableShape(type=type, points=points)
    state = tracker.init_tracking_state(context, tracker.preprocess_image(None, first), shape)
    overlaps = []
    for frame, box in frames[1:]:
        found = tracker.track(context, tracker.preprocess_image(None, frame), state)
        assert found.type == type
        corners = np.array(found.points).reshape(-1, 2)
        overlaps.append(iou([*corners.min(axis=0), *corners.max(axis=0)], box))
    assert min(overlaps) > 0.6
    assert np.mean(overlaps) > 0.8


def test_a_lost_object_is_reported() -> None:
    tracker, frames = load("track_shapes"), clip()
    context = SimpleNamespace(original_shape_type="rectangle")
    shape = TrackableShape(type="rectangle", points=frames[0][1])
    state = tracker.init_tracking_state(context, tracker.preprocess_image(None, frames[0][0]), shape)
    assert tracker.track(context, np.zeros((240, 320), np.uint8), state) is None
