"""Projects and labels through the SDK."""

import pytest
from cvat_sdk import Client
from cvat_sdk.api_client import exceptions


def label_named(labels: list, name: str):
    return next(label for label in labels if label.name == name)


def test_labels_come_back_as_they_were_sent(project) -> None:
    labels = project.get_labels()
    assert sorted(label.name for label in labels) == ["animal", "cup", "face", "outdoors"]

    animal = label_named(labels, "animal")
    assert animal.color == "#2f9e44"
    assert animal.type == "any"
    assert animal.project_id == project.id
    species, asleep = animal.attributes
    assert (species.name, species.mutable, species.input_type.value) == ("species", False, "select")
    assert (species.default_value, species.values) == ("cat", ["cat", "raccoon"])
    assert (asleep.name, asleep.mutable, asleep.input_type.value) == ("asleep", True, "checkbox")

    assert label_named(labels, "outdoors").type == "tag"
    assert len({label.color for label in labels}) == len(labels)


def test_skeleton_label(project) -> None:
    face = label_named(project.get_labels(), "face")
    assert face.type == "skeleton"
    assert sorted(joint.name for joint in face.sublabels) == ["left eye", "nose", "right eye"]
    for joint in face.sublabels:
        assert f'data-label-id="{joint.id}"' in face.svg
    assert "data-label-name" not in face.svg


def test_change(client: Client, project) -> None:
    before = project.updated_date
    project.update({"name": "Another name", "bug_tracker": "https://bugs.example.com/1"})

    again = client.projects.retrieve(project.id)
    assert (again.name, again.bug_tracker) == ("Another name", "https://bugs.example.com/1")
    assert again.updated_date > before


def test_labels_added_changed_and_removed(client: Client, project) -> None:
    cup = label_named(project.get_labels(), "cup")
    outdoors = label_named(project.get_labels(), "outdoors")
    project.update(
        {
            "labels": [
                {"id": cup.id, "name": "mug", "color": "#123456"},
                {"id": outdoors.id, "deleted": True},
                {"name": "saucer"},
            ]
        }
    )
    labels = project.get_labels()
    assert sorted(label.name for label in labels) == ["animal", "face", "mug", "saucer"]
    assert label_named(labels, "mug").id == cup.id
    assert label_named(labels, "mug").color == "#123456"

    retrieved, _ = client.api_client.labels_api.retrieve(cup.id)
    assert retrieved.name == "mug"


def test_two_labels_of_one_name_are_refused(client: Client) -> None:
    with pytest.raises(exceptions.ApiException) as refusal:
        client.projects.create({"name": "twice", "labels": [{"name": "cat"}, {"name": "cat"}]})
    assert refusal.value.status == 400
    assert "twice" not in [p.name for p in client.projects.list(name="twice")]


def test_list_and_filters(client: Client, project) -> None:
    assert project.id in [p.id for p in client.projects.list()]
    assert [p.id for p in client.projects.list(id__in=[project.id])] == [project.id]
    assert project.id in [p.id for p in client.projects.list(search="Client tests")]
    assert client.projects.list(filter='{"==":[{"var":"id"},0]}') == []


def test_tasks_of_a_project(client: Client, project) -> None:
    assert project.get_tasks() == []
    task = client.tasks.create({"name": "empty", "project_id": project.id, "subset": "Train"})
    assert [t.id for t in project.get_tasks()] == [task.id]
    assert sorted(label.name for label in task.get_labels()) == ["animal", "cup", "face", "outdoors"]

    project.fetch()
    assert project.tasks.count == 1
    assert project.task_subsets == ["Train"]


def test_removal_takes_the_tasks_along(client: Client) -> None:
    project = client.projects.create({"name": "to remove", "labels": [{"name": "cat"}]})
    task = client.tasks.create({"name": "inside", "project_id": project.id})
    project.remove()
    with pytest.raises(exceptions.NotFoundException):
        client.projects.retrieve(project.id)
    with pytest.raises(exceptions.NotFoundException):
        client.tasks.retrieve(task.id)
