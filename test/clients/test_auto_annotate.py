"""`cvat-cli task auto-annotate`, which runs a function in the client, and its counterpart in the SDK."""

import runpy
import shutil
import subprocess
from pathlib import Path

import cvat_sdk.auto_annotation as cvataa
import pytest
from conftest import Cli
from cvat_sdk import Client
from cvat_sdk.api_client.exceptions import ApiAttributeError
from cvat_sdk.datasets import TaskDataset, UnsupportedDatasetError
from photographs import Photograph
from PIL import Image

EXAMPLES = Path(__file__).parents[2] / "examples" / "functions"
LABELS = [{"name": "face", "type": "rectangle"}, {"name": "eye", "type": "any"}]


class WholeImage:
    """Finds the whole image on every frame."""

    spec = cvataa.DetectionFunctionSpec(labels=[cvataa.label_spec("eye", 0, type="rectangle")])

    def detect(self, context: cvataa.DetectionFunctionContext, image: Image.Image) -> list:
        return [cvataa.rectangle(0, [0.0, 0.0, float(image.width), float(image.height)])]


@pytest.fixture
def faces(client: Client, photographs: list[Photograph]):
    """The seven photographs of the demo, the first of which shows an astronaut, in chunks of three."""
    task = client.tasks.create_from_data(
        {"name": "Faces", "labels": LABELS},
        [photograph.path for photograph in photographs[:7]],
        data_params={"image_quality": 80, "chunk_size": 3, "sorting_method": "lexicographical"},
    )
    yield task
    client.tasks.remove_by_ids([task.id])


def test_the_example_finds_faces(client: Client, cli: Cli, faces) -> None:
    names = {label.id: label.name for label in faces.get_labels()}
    command = ("task", "auto-annotate", faces.id, "--function-file", EXAMPLES / "detect_faces.py")

    cli(*command, "-p", "min_size=int:60", "--clear-existing")
    found = faces.get_annotations().shapes
    assert sorted((shape.frame, names[shape.label_id]) for shape in found) == [(0, "eye"), (0, "eye"), (0, "face")]
    assert {(shape.type.value, shape.source) for shape in found} == {("rectangle", "auto")}
    assert all(0.5 <= shape.score < 1 for shape in found)

    cli(*command, "-p", "min_size=int:60", "--conf-threshold", "0.99")
    assert [shape.id for shape in faces.get_annotations().shapes] == [shape.id for shape in found]


def test_deleted_frames_are_left_out_by_a_client_that_has_the_task_in_its_cache(client: Client, faces) -> None:
    def annotated() -> list[int]:
        cvataa.annotate_task(client, faces.id, WholeImage(), clear_existing=True, allow_unmatched_labels=True)
        return sorted(shape.frame for shape in faces.get_annotations().shapes)

    def keep_in_cache() -> None:
        """Saving annotations changes the date of the task, so that the client would drop the task from its cache."""
        TaskDataset(client, faces.id, load_annotations=False)

    keep_in_cache()
    faces.remove_frames_by_ids([2, 4])
    assert annotated() == [0, 1, 3, 5, 6]
    keep_in_cache()
    faces.remove_frames_by_ids([4])  # restores the other one
    assert annotated() == [0, 1, 2, 3, 5, 6]
    keep_in_cache()
    (job,) = faces.get_jobs()
    job.remove_frames_by_ids([4, 6])
    assert annotated() == [0, 1, 2, 3, 5]


def test_a_task_without_data_is_refused_by_the_client(client: Client) -> None:
    task = client.tasks.create({"name": "No data", "labels": LABELS})
    try:
        # As in CVAT, the task has no `size` then, which the client does not expect.
        with pytest.raises(ApiAttributeError, match="TaskRead has no attribute 'size'"):
            cvataa.annotate_task(client, task.id, WholeImage())
    finally:
        task.remove()


@pytest.fixture
def video(client: Client, tmp_path: Path):
    file = tmp_path / "grey.mp4"
    grey = "color=gray:s=160x120:r=25:d=0.4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", grey, "-pix_fmt", "yuv420p", file], check=True)
    task = client.tasks.create_from_data({"name": "Video", "labels": LABELS}, [file], data_params={"image_quality": 80})
    yield task
    task.remove()


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_a_video_is_refused_by_the_client_and_annotated_by_the_example(client: Client, video) -> None:
    with pytest.raises(UnsupportedDatasetError, match="current original chunk type is 'video'"):
        cvataa.annotate_task(client, video.id, WholeImage())
    video.remove_frames_by_ids([3])
    example = runpy.run_path(str(EXAMPLES / "annotate_video.py"))
    assert example["annotate"](client, video.id, WholeImage()) == 9
    found = video.get_annotations().shapes
    assert [shape.frame for shape in found] == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert {(shape.source, tuple(shape.points)) for shape in found} == {("auto", (0, 0, 160, 120))}
