"""Photographs for the tests, created from those of the demo."""

from dataclasses import dataclass
from pathlib import Path

from PIL import Image

SOURCES = sorted((Path(__file__).parents[2] / "demo" / "photos").glob("*.jpg"))


@dataclass(frozen=True)
class Photograph:
    path: Path
    width: int
    height: int

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def bytes(self) -> bytes:
        return self.path.read_bytes()


def make_photographs(folder: Path, count: int) -> list[Photograph]:
    """
    Creates `count` different photographs in `folder`, ordered by name: first the unchanged sources, then crops of them
    in several sizes, every fifth of these as PNG.
    """
    return [_make(folder, number) for number in range(count)]


def _make(folder: Path, number: int) -> Photograph:
    source = SOURCES[number % len(SOURCES)]
    crop_number = number // len(SOURCES)
    if crop_number == 0:
        path = folder / f"photo_{number:03d}_{source.name}"
        path.write_bytes(source.read_bytes())
        with Image.open(path) as image:
            return Photograph(path, *image.size)

    extension = "png" if number % 5 == 0 else "jpg"
    path = folder / f"photo_{number:03d}_{source.stem}.{extension}"
    with Image.open(source) as image:
        crop = image.crop(_crop_box(image.size, crop_number))
        crop = crop.resize((320 + 16 * (number % 7), 240 + 12 * (number % 5)))
        crop.save(path, **({"quality": 88} if extension == "jpg" else {}))
        return Photograph(path, *crop.size)


def _crop_box(size: tuple[int, int], crop_number: int) -> tuple[int, int, int, int]:
    """A crop of 60 % of the image whose position depends on its number."""
    width, height = size
    left = int(width * 0.04 * crop_number)
    top = int(height * 0.04 * crop_number)
    return left, top, left + int(width * 0.6), top + int(height * 0.6)
