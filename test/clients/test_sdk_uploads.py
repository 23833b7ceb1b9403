"""All ways in which the SDK uploads local files, and the handling of unreadable files."""

import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from cvat_sdk import Client
from cvat_sdk.api_client import exceptions
from cvat_sdk.core.exceptions import BackgroundRequestException
from cvat_sdk.core.uploading import DataUploader
from photographs import Photograph
from PIL import Image

SPEC = {"name": "Uploads", "labels": [{"name": "cat"}]}


@pytest.fixture
def create(client: Client):
    """`client.tasks.create_from_data`; deletes the tasks afterwards."""
    ids: list[int] = []

    def create_from_data(resources: list[Path], **data_params: object):
        task = client.tasks.create(SPEC)
        ids.append(task.id)
        task.upload_data(resources, params=data_params)
        return task

    yield create_from_data
    client.tasks.remove_by_ids(ids)


def names(task) -> list[str]:
    return [frame.name for frame in task.get_frames_info()]


def test_zip_archive(create, photographs: list[Photograph], tmp_path: Path) -> None:
    archive = tmp_path / "photographs.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for photograph in photographs[:20]:
            target.write(photograph.path, f"album/{photograph.name}")
        target.writestr("album/readme.txt", "not an image")
        target.writestr("__MACOSX/album/._photo.jpg", b"not an image either")

    task = create([archive])
    assert names(task) == [f"album/{photograph.name}" for photograph in photographs[:20]]
    for number in (0, 10, 19):
        assert task.get_frame(number, quality="original").read() == photographs[number].bytes


def test_tar_archive(create, photographs: list[Photograph], tmp_path: Path) -> None:
    archive = tmp_path / "photographs.tar.gz"
    with tarfile.open(archive, "w:gz") as target:
        for photograph in photographs[:6]:
            target.add(photograph.path, f"album/{photograph.name}")

    task = create([archive])
    assert names(task) == [f"album/{photograph.name}" for photograph in photographs[:6]]
    assert task.get_frame(5, quality="original").read() == photographs[5].bytes


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_video(create, tmp_path: Path) -> None:
    video = tmp_path / "grey.mp4"
    grey = "color=black:s=160x120:r=25:d=2,geq=lum='16+4*N':cb=128:cr=128"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", grey, "-pix_fmt", "yuv420p", video], check=True)

    task = create([video], chunk_size=20)
    assert (task.size, task.mode, names(task)) == (50, "interpolation", ["grey.mp4"])
    frames = [Image.open(task.get_frame(number, quality="original")) for number in (0, 7, 8, 49)]
    seen = [frame.convert("L").getpixel((80, 60)) for frame in frames]
    assert seen == sorted(set(seen))  # each frame is brighter than the one before
    assert task.get_preview().read()[:2] == b"\xff\xd8"


def upload(client: Client, task, files: list[Path], max_request_size: int) -> None:
    """Works like `Task.upload_data`, with the uploader's parameter for the size of a request."""
    url = client.api_map.make_endpoint_url(task.api.create_data_endpoint.path, kwsub={"id": task.id})
    response = DataUploader(client, max_request_size=max_request_size).upload_files(url, files, image_quality=70)
    client.wait_for_completion(response.json()["rq_id"])
    task.fetch()


def test_several_requests_and_tus(client: Client, photographs: list[Photograph]) -> None:
    chosen = photographs[:16]
    sizes = sorted(len(photograph.bytes) for photograph in chosen)
    limit = sizes[len(sizes) // 2]  # half of the files go through TUS, the others in several requests
    task = client.tasks.create(SPEC)
    try:
        upload(client, task, [photograph.path for photograph in chosen], limit)
        assert names(task) == [photograph.name for photograph in chosen]
        for number, photograph in enumerate(chosen):
            assert task.get_frame(number, quality="original").read() == photograph.bytes
    finally:
        task.remove()


def test_tus_in_several_pieces(client: Client, photographs: list[Photograph], tmp_path: Path) -> None:
    large = tmp_path / "large.png"
    with Image.open(photographs[4].path) as image:
        image.convert("RGB").resize((2200, 1700)).save(large, compress_level=0)
    assert large.stat().st_size > 10 * 2**20  # the SDK's pieces are of 10 MiB

    task = client.tasks.create(SPEC)
    try:
        upload(client, task, [large], max_request_size=1024)
        assert task.get_frame(0, quality="original").read() == large.read_bytes()
    finally:
        task.remove()


def test_predefined_order(create, photographs: list[Photograph]) -> None:
    shuffled = [photographs[i] for i in (3, 0, 11, 7, 1)]
    task = create([photograph.path for photograph in shuffled], sorting_method="predefined")
    assert names(task) == [photograph.name for photograph in shuffled]


def test_natural_order(create, photographs: list[Photograph], tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("shot10.jpg", "shot2.jpg", "shot1.jpg")]
    for file, photograph in zip(files, photographs, strict=False):
        file.write_bytes(photograph.bytes)
    assert names(create(files, sorting_method="natural")) == ["shot1.jpg", "shot2.jpg", "shot10.jpg"]


def test_start_stop_and_step(create, photographs: list[Photograph]) -> None:
    files = [photograph.path for photograph in photographs[:20]]
    task = create(files, start_frame=2, stop_frame=15, frame_step=4)
    assert names(task) == [photographs[i].name for i in (2, 6, 10, 14)]
    meta = task.get_meta()
    assert (meta.size, meta.start_frame, meta.stop_frame, meta.frame_filter) == (4, 2, 14, "step=4")
    assert task.get_frame(1, quality="original").read() == photographs[6].bytes


def test_default_chunk_size_follows_the_first_frame(create, photographs: list[Photograph]) -> None:
    first = photographs[0]
    task = create([photograph.path for photograph in photographs[:3]])
    assert task.data_chunk_size == max(2, min(72, 36 * 1920 * 1080 // (first.width * first.height)))


def test_turned_photograph_is_shown_upright(create, demo_photo: Path, tmp_path: Path) -> None:
    turned = tmp_path / "turned.jpg"
    with Image.open(demo_photo) as image:
        exif = image.getexif()
        exif[0x0112] = 6  # orientation: to be turned by 90 degrees
        image.save(turned, exif=exif)
        width, height = image.size

    task = create([turned])
    (frame,) = task.get_frames_info()
    assert (frame.width, frame.height) == (height, width)
    for quality in ("original", "compressed"):
        with Image.open(task.get_frame(0, quality=quality)) as image:
            assert image.size == (height, width)
            assert image.getexif().get(0x0112, 1) == 1


@pytest.mark.parametrize(
    ("file_name", "content"),
    [("cut.jpg", None), ("noise.png", os.urandom(4096)), ("broken.zip", b"PK\x03\x04 and no more")],
)
def test_unreadable_file_fails_and_is_named(
    client: Client, photographs: list[Photograph], tmp_path: Path, file_name: str, content: bytes | None
) -> None:
    file = tmp_path / file_name
    file.write_bytes(photographs[0].bytes[:200] if content is None else content)
    task = client.tasks.create(SPEC)
    try:
        with pytest.raises(BackgroundRequestException, match=file_name.replace(".", r"\.")):
            task.upload_data([file])
        task.fetch()
        assert task.jobs.count == 0
        assert not task.size

        task.upload_data([photographs[1].path])  # a failed creation may be repeated
        assert task.size == 1
        assert task.get_frame(0, quality="original").read() == photographs[1].bytes
    finally:
        task.remove()


def test_no_image_at_all(client: Client, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("nothing to see")
    task = client.tasks.create(SPEC)
    try:
        with pytest.raises(BackgroundRequestException, match="No media data found"):
            task.upload_data([note])
    finally:
        task.remove()


def test_data_is_sent_only_once(client: Client, small_task, photographs: list[Photograph]) -> None:
    with pytest.raises(exceptions.ApiException) as refusal:
        small_task.upload_data([photographs[8].path])
    assert refusal.value.status == 400
    small_task.fetch()
    assert small_task.size == 6
