"""Both versions of the API, selected by the vendor media type. The SDK uses the newer one; these are raw requests."""

import pytest
import urllib3
from photographs import Photograph

VENDOR = "application/vnd.cvat+json"


@pytest.fixture
def get(http: urllib3.PoolManager, base_url: str, token: str):
    def get(path: str, accept: str | None, authorized: bool = True) -> urllib3.BaseHTTPResponse:
        headers = {"Authorization": f"Bearer {token}"} if authorized else {}
        if accept is not None:
            headers["Accept"] = accept
        return http.request("GET", f"{base_url}{path}", headers=headers)

    return get


def test_version_2_0(get, task, photographs: list[Photograph]) -> None:
    answer = get(f"/api/tasks/{task.id}", f"{VENDOR}; version=2.0")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == f"{VENDOR}; version=2.0"
    body = answer.json()
    assert sorted(label["name"] for label in body["labels"]) == ["animal", "cup", "face", "outdoors"]
    assert [(s["start_frame"], s["stop_frame"]) for s in body["segments"]] == [(0, 24), (20, 44), (40, 63)]
    for segment in body["segments"]:
        (job,) = segment["jobs"]
        assert set(job) == {"url", "id", "assignee", "status", "stage", "state"}
    assert body["size"] == len(photographs)
    assert "guide_id" not in body


@pytest.mark.parametrize("accept", [None, "*/*", "application/*", VENDOR, f"{VENDOR}; version=2.1"])
def test_version_2_1_is_the_default(get, task, accept: str | None) -> None:
    answer = get(f"/api/tasks/{task.id}", accept)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == (accept if accept and "version" in accept else VENDOR)
    body = answer.json()
    assert set(body["labels"]) == {"url"}
    assert body["jobs"]["count"] == 3
    assert "segments" not in body


def test_plain_json_is_served_too(get, task) -> None:
    answer = get(f"/api/tasks/{task.id}", "application/json")
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("application/json")
    assert set(answer.json()["labels"]) == {"url"}


def test_version_2_2_adds_to_it(get, task) -> None:
    usual = get(f"/api/tasks/{task.id}", VENDOR)
    newest = get(f"/api/tasks/{task.id}", f"{VENDOR}; version=2.2")
    assert newest.headers["Content-Type"] == f"{VENDOR}; version=2.2"
    assert newest.json() == usual.json()
    events = [get("/api/webhooks/events", f"{VENDOR}; version={version}").json() for version in ("2.1", "2.2")]
    assert [set(answer) for answer in events] == [
        {"webhook_type", "events"},
        {"webhook_type", "events", "newer_events"},
    ]


@pytest.mark.parametrize(
    ("accept", "detail"),
    [
        (f"{VENDOR}; version=9.9", 'Invalid version in "Accept" header.'),
        ("application/xml", "Could not satisfy the request Accept header."),
    ],
)
def test_what_cannot_be_served_is_refused_before_logging_in(get, task, accept: str, detail: str) -> None:
    answer = get(f"/api/tasks/{task.id}", accept, authorized=False)
    assert answer.status == 406
    assert answer.json() == {"detail": detail}


def test_jobs_of_a_task_the_old_way(get, task) -> None:
    old = get(f"/api/tasks/{task.id}/jobs", f"{VENDOR}; version=2.0")
    new = get(f"/api/tasks/{task.id}/jobs", f"{VENDOR}; version=2.1")
    replaced = get(f"/api/jobs?task={task.id}", VENDOR)
    assert (old.status, new.status, replaced.status) == (200, 200, 200)
    assert new.headers["Deprecation"] == "true"
    assert "Deprecation" not in old.headers
    assert replaced.json()["count"] == 3


def test_versions_in_the_path_are_gone(get) -> None:
    for version in ("v1", "v2"):
        answer = get(f"/api/{version}/tasks", VENDOR)
        assert answer.status == 404
        assert "Accept" in answer.json()["detail"]
