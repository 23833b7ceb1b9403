"""Annotations through the SDK: of a job, of a task, and on frames that two jobs share."""

import cvat_sdk.auto_annotation as cvataa
import pytest
from cvat_sdk import Client
from cvat_sdk.api_client import exceptions
from cvat_sdk.core.proxies.annotations import AnnotationUpdateAction
from PIL import Image


@pytest.fixture
def label_ids(task) -> dict[str, int]:
    return {label.name: label.id for label in task.get_labels()}


@pytest.fixture
def job(task):
    """The first job of the task, frames 0 to 24, without annotations."""
    yield next(job for job in task.get_jobs() if job.start_frame == 0)
    task.remove_annotations()


def rectangle(label_id: int, frame: int, points: tuple[float, ...] = (10, 20, 110.5, 220.25), **more: object) -> dict:
    return {"type": "rectangle", "label_id": label_id, "frame": frame, "points": list(points), **more}


SHAPES = {
    "rectangle": {"points": [10.0, 20.0, 110.5, 220.25], "rotation": 30.0},
    "polygon": {"points": [0.0, 0.0, 50.0, 0.0, 25.5, 40.0]},
    "polyline": {"points": [0.0, 0.0, 10.0, 10.0]},
    "points": {"points": [5.0, 6.0, 7.0, 8.0]},
    "ellipse": {"points": [50.0, 50.0, 80.0, 30.0]},
    "cuboid": {"points": [float(n) for n in range(16)]},
    "mask": {"points": [2.0, 4.0, 2.0, 10.0, 20.0, 13.0, 21.0]},
}


def test_every_kind_of_shape(job, label_ids: dict[str, int]) -> None:
    job.set_annotations(
        {
            "tags": [{"label_id": label_ids["outdoors"], "frame": 3}],
            "shapes": [
                {"type": kind, "label_id": label_ids["animal"], "frame": frame, "occluded": True, "z_order": 2, **shape}
                for frame, (kind, shape) in enumerate(SHAPES.items())
            ],
        }
    )
    read = job.get_annotations()

    (tag,) = read.tags
    assert (tag.label_id, tag.frame, tag.source) == (label_ids["outdoors"], 3, "manual")
    assert [shape.type.value for shape in read.shapes] == list(SHAPES)
    for frame, shape in enumerate(read.shapes):
        sent = SHAPES[shape.type.value]
        assert (shape.frame, shape.points, shape.rotation) == (frame, sent["points"], sent.get("rotation", 0.0))
        assert (shape.occluded, shape.outside, shape.z_order) == (True, False, 2)
    assert len({shape.id for shape in read.shapes}) == len(SHAPES)


def test_attributes(job, task, label_ids: dict[str, int]) -> None:
    animal = next(label for label in task.get_labels() if label.name == "animal")
    species, asleep = animal.attributes
    value = {"spec_id": species.id, "value": "raccoon"}
    job.set_annotations({"shapes": [rectangle(animal.id, 0, attributes=[value]), rectangle(animal.id, 1)]})

    first, second = ({a.spec_id: a.value for a in shape.attributes} for shape in job.get_annotations().shapes)
    assert first == {species.id: "raccoon", asleep.id: "false"}
    assert second == {species.id: "cat", asleep.id: "false"}


def test_skeleton(job, task) -> None:
    face = next(label for label in task.get_labels() if label.name == "face")
    elements = [
        {"type": "points", "label_id": joint.id, "frame": 2, "points": [float(n), float(n + 1)], "occluded": n == 1}
        for n, joint in enumerate(face.sublabels)
    ]
    skeleton = {"type": "skeleton", "label_id": face.id, "frame": 2, "elements": elements}
    job.set_annotations({"shapes": [skeleton]})

    (shape,) = job.get_annotations().shapes
    assert shape.type.value == "skeleton"
    read = sorted((element.label_id, element.points, element.occluded) for element in shape.elements)
    assert read == sorted((e["label_id"], e["points"], e["occluded"]) for e in elements)


def test_create_update_delete(job, label_ids: dict[str, int]) -> None:
    cup, animal = label_ids["cup"], label_ids["animal"]
    job.update_annotations({"shapes": [rectangle(cup, 0), rectangle(cup, 1)]}, action=AnnotationUpdateAction.CREATE)
    job.update_annotations(
        {"tags": [{"label_id": label_ids["outdoors"], "frame": 0}]}, action=AnnotationUpdateAction.CREATE
    )
    created = job.get_annotations()
    assert [shape.frame for shape in created.shapes] == [0, 1]
    first, second = created.shapes

    job.update_annotations({"shapes": [rectangle(animal, 5, (1.0, 2.0, 3.0, 4.0), id=first.id)]})
    changed = {shape.id: shape for shape in job.get_annotations().shapes}
    assert set(changed) == {first.id, second.id}
    assert (changed[first.id].label_id, changed[first.id].frame) == (animal, 5)
    assert changed[first.id].points == [1.0, 2.0, 3.0, 4.0]
    assert changed[second.id].points == second.points

    job.remove_annotations(ids=[second.id])
    left = job.get_annotations()
    assert [shape.id for shape in left.shapes] == [first.id]
    assert len(left.tags) == 1

    job.remove_annotations()
    empty = job.get_annotations()
    assert (empty.tags, empty.shapes, empty.tracks) == ([], [], [])


def test_put_replaces_everything(job, label_ids: dict[str, int]) -> None:
    job.set_annotations({"shapes": [rectangle(label_ids["cup"], frame) for frame in range(5)]})
    job.set_annotations({"shapes": [rectangle(label_ids["cup"], 7)]})
    assert [shape.frame for shape in job.get_annotations().shapes] == [7]


def test_refused_annotations_change_nothing(job, label_ids: dict[str, int]) -> None:
    job.set_annotations({"shapes": [rectangle(label_ids["cup"], 1)]})
    before = job.get_annotations().to_dict()

    too_few_points = rectangle(label_ids["cup"], 2, (1.0, 2.0, 3.0))
    unknown_label = rectangle(10**9, 2)
    for wrong in (too_few_points, unknown_label):
        with pytest.raises(exceptions.ApiException) as refusal:
            job.set_annotations({"shapes": [rectangle(label_ids["cup"], 0), wrong]})
        assert refusal.value.status == 400
        assert job.get_annotations().to_dict() == before


def test_task_annotations_go_to_the_jobs(task, job, label_ids: dict[str, int]) -> None:
    cup = label_ids["cup"]
    task.set_annotations({"shapes": [rectangle(cup, 0), rectangle(cup, 22), rectangle(cup, 60)]})

    frames = {
        other.start_frame: [shape.frame for shape in other.get_annotations().shapes] for other in task.get_jobs()
    }
    assert frames == {0: [0, 22], 20: [22], 40: [60]}  # frame 22 is in two jobs
    assert sorted(shape.frame for shape in task.get_annotations().shapes) == [0, 22, 60]


def test_task_annotations_are_deleted_by_id(task, job, label_ids: dict[str, int]) -> None:
    cup = label_ids["cup"]
    task.update_annotations({"shapes": [rectangle(cup, 1), rectangle(cup, 50)]}, action=AnnotationUpdateAction.CREATE)
    gone = next(shape.id for shape in task.get_annotations().shapes if shape.frame == 50)
    task.remove_annotations(ids=[gone])
    assert [shape.frame for shape in task.get_annotations().shapes] == [1]


def test_writing_moves_the_dates(client: Client, task, job, label_ids: dict[str, int]) -> None:
    job_before, task_before = client.jobs.retrieve(job.id).updated_date, client.tasks.retrieve(task.id).updated_date
    job.set_annotations({"shapes": [rectangle(label_ids["cup"], 0)]})
    assert client.jobs.retrieve(job.id).updated_date > job_before
    assert client.tasks.retrieve(task.id).updated_date > task_before


def test_many_shapes(job, label_ids: dict[str, int]) -> None:
    sent = [rectangle(label_ids["cup"], n % 25, (float(n), 0.5, n + 10.0, 20.0)) for n in range(5_000)]
    job.set_annotations({"shapes": sent})
    read = job.get_annotations().shapes
    assert sorted((s.frame, s.points) for s in read) == sorted((s["frame"], s["points"]) for s in sent)


def test_automatic_annotation(client: Client, small_task) -> None:
    class WholeFrame:
        """A "model" that finds a cup in every photograph, as large as the photograph."""

        spec = cvataa.DetectionFunctionSpec(labels=[cvataa.label_spec("cup", 0)])

        def detect(self, _context: object, image: Image.Image) -> list:
            return [cvataa.rectangle(0, [0, 0, image.width, image.height])]

    cvataa.annotate_task(client, small_task.id, WholeFrame())
    meta = small_task.get_frames_info()
    shapes = sorted(small_task.get_annotations().shapes, key=lambda shape: shape.frame)
    assert [shape.points[2:] for shape in shapes] == [[frame.width, frame.height] for frame in meta]
