"""A task of 64 photographs: its content matches the upload."""

import io
import zipfile
from pathlib import Path

import pytest
from cvat_sdk import Client
from cvat_sdk.api_client import exceptions
from cvat_sdk.datasets import MediaDownloadPolicy, TaskDataset
from photographs import Photograph
from PIL import Image

CHUNK_SIZE = 10


def download_chunk(task, number: int, quality: str) -> zipfile.ZipFile:
    target = io.BytesIO()
    task.download_chunk(number, target, quality=quality)
    return zipfile.ZipFile(target)


def size_of(image: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(image)) as opened:
        opened.load()
        return opened.size


def test_the_task_describes_its_data(task, photographs: list[Photograph]) -> None:
    assert len(photographs) >= 60
    assert task.size == len(photographs)
    assert (task.mode, task.dimension, task.status) == ("annotation", "2d", "annotation")
    assert (task.data_chunk_size, task.image_quality) == (CHUNK_SIZE, 75)
    assert (task.segment_size, task.overlap) == (25, 5)
    assert task.data_original_chunk_type == "imageset"
    assert task.data_compressed_chunk_type == "imageset"


def test_jobs_cover_the_frames(task) -> None:
    jobs = sorted(task.get_jobs(), key=lambda job: job.start_frame)
    assert [(job.start_frame, job.stop_frame) for job in jobs] == [(0, 24), (20, 44), (40, 63)]
    assert {(job.type, job.stage, job.state) for job in jobs} == {("annotation", "annotation", "new")}
    task.fetch()
    assert (task.jobs.count, task.jobs.completed, task.jobs.validation) == (3, 0, 0)


def test_meta_names_every_photograph(task, photographs: list[Photograph]) -> None:
    meta = task.get_meta()
    assert (meta.size, meta.start_frame, meta.stop_frame) == (len(photographs), 0, len(photographs) - 1)
    assert meta.deleted_frames == []
    assert [(f.name, f.width, f.height) for f in meta.frames] == [(p.name, p.width, p.height) for p in photographs]


def test_original_frames_are_the_bytes_that_were_sent(task, photographs: list[Photograph]) -> None:
    for number, photograph in enumerate(photographs):
        assert task.get_frame(number, quality="original").read() == photograph.bytes, photograph.name


def test_compressed_frames_are_jpegs_of_the_same_size(task, photographs: list[Photograph]) -> None:
    for number in (0, 5, 10, 63):
        frame = task.get_frame(number, quality="compressed").read()
        with Image.open(io.BytesIO(frame)) as image:
            assert image.format == "JPEG"
        assert size_of(frame) == (photographs[number].width, photographs[number].height)


def test_original_chunks_are_the_bytes_that_were_sent(task, photographs: list[Photograph]) -> None:
    frames: list[bytes] = []
    for number in range(-(-len(photographs) // CHUNK_SIZE)):
        with download_chunk(task, number, "original") as chunk:
            names = chunk.namelist()
            expected = photographs[number * CHUNK_SIZE : (number + 1) * CHUNK_SIZE]
            assert names == [f"{i:06d}{p.path.suffix}" for i, p in enumerate(expected)]
            frames.extend(chunk.read(name) for name in names)
    assert frames == [photograph.bytes for photograph in photographs]


def test_compressed_chunks_decode_to_the_same_sizes(task, photographs: list[Photograph]) -> None:
    sizes: list[tuple[int, int]] = []
    for number in range(-(-len(photographs) // CHUNK_SIZE)):
        with download_chunk(task, number, "compressed") as chunk:
            assert chunk.testzip() is None
            assert all(name.endswith(".jpeg") for name in chunk.namelist())
            sizes.extend(size_of(chunk.read(name)) for name in chunk.namelist())
    assert sizes == [(photograph.width, photograph.height) for photograph in photographs]


def test_chunk_beyond_the_end_is_refused(task) -> None:
    with pytest.raises(exceptions.ApiException) as refusal:
        task.download_chunk(7, io.BytesIO())
    assert refusal.value.status == 400


def test_frame_beyond_the_end_is_refused(task) -> None:
    with pytest.raises(exceptions.ApiException) as refusal:
        task.get_frame(64)
    assert refusal.value.status == 400


def test_preview(task) -> None:
    preview = task.get_preview().read()
    width, height = size_of(preview)
    assert max(width, height) == 256


def test_frames_are_saved_to_files(task, photographs: list[Photograph], tmp_path: Path) -> None:
    task.download_frames([0, 10], outdir=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["frame_000000.jpg", "frame_000010.png"]
    with Image.open(tmp_path / "frame_000000.jpg") as image:
        assert image.size == (photographs[0].width, photographs[0].height)


def test_a_job_reads_its_own_frames(task, photographs: list[Photograph]) -> None:
    job = next(job for job in task.get_jobs() if job.start_frame == 20)
    assert job.get_frame(21, quality="original").read() == photographs[21].bytes
    assert max(size_of(job.get_preview().read())) <= 256
    assert [frame.name for frame in job.get_frames_info()] == [p.name for p in photographs[20:45]]
    with pytest.raises(exceptions.ApiException):
        job.get_frame(5, quality="original")


def test_the_dataset_layer_reads_the_task(client: Client, task, photographs: list[Photograph]) -> None:
    dataset = TaskDataset(client, task.id, media_download_policy=MediaDownloadPolicy.PRELOAD_ALL)
    assert [sample.frame_name for sample in dataset.samples] == [photograph.name for photograph in photographs]
    sample = dataset.samples[12]
    assert sample.media.load_image().size == (photographs[12].width, photographs[12].height)


def test_removed_frames(client: Client, small_task) -> None:
    small_task.remove_frames_by_ids([1, 4])
    assert small_task.get_meta().deleted_frames == [1, 4]
    assert small_task.get_meta().size == 6

    small_task.remove_frames_by_ids([])
    assert small_task.get_meta().deleted_frames == []

    first = next(job for job in small_task.get_jobs() if job.start_frame == 0)
    first.remove_frames_by_ids([2])
    assert first.get_meta().deleted_frames == [2]
    assert small_task.get_meta().deleted_frames == [2]


def test_unknown_frames_cannot_be_removed(small_task) -> None:
    with pytest.raises(exceptions.ApiException) as refusal:
        small_task.remove_frames_by_ids([99])
    assert refusal.value.status == 400
    assert small_task.get_meta().deleted_frames == []


def test_change(client: Client, small_task) -> None:
    me = client.users.retrieve_current_user()
    small_task.update({"name": "Another name", "assignee_id": me.id, "subset": "Test"})
    again = client.tasks.retrieve(small_task.id)
    assert (again.name, again.subset, again.assignee.id) == ("Another name", "Test", me.id)


def test_list_and_filters(client: Client, task) -> None:
    assert task.id in [t.id for t in client.tasks.list()]
    assert [t.id for t in client.tasks.list(id__in=[task.id], name="64 photographs")] == [task.id]
    assert task.id not in [t.id for t in client.tasks.list(id__ne=task.id)]
    assert task.id in [t.id for t in client.tasks.list(name__contains="64 photo")]
    newest_first = [t.id for t in client.tasks.list(sort="-id")]
    assert newest_first == sorted(newest_first, reverse=True)


def test_long_lists_are_read_page_by_page(client: Client) -> None:
    spec = {"name": "one of many", "labels": [{"name": "cat"}]}
    ids = [client.tasks.create(spec).id for _ in range(23)]
    try:
        assert sorted(t.id for t in client.tasks.list(name="one of many")) == ids
    finally:
        client.tasks.remove_by_ids(ids)
    assert client.tasks.list(name="one of many") == []


def test_removal(client: Client, photographs: list[Photograph]) -> None:
    task = client.tasks.create_from_data({"name": "to remove", "labels": [{"name": "cat"}]}, [photographs[7].path])
    (job,) = task.get_jobs()
    task.remove()
    for look_up in (lambda: client.tasks.retrieve(task.id), lambda: client.jobs.retrieve(job.id)):
        with pytest.raises(exceptions.NotFoundException):
            look_up()
