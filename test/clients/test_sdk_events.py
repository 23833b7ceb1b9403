"""Events through the SDK: reporting work, and exporting the log as CSV."""

import csv
import io
import json
from datetime import datetime, timedelta, timezone

import pytest
from cvat_sdk import Client, models
from cvat_sdk.api_client import exceptions

COLUMNS = [
    "scope",
    "obj_name",
    "obj_id",
    "obj_val",
    "source",
    "timestamp",
    "count",
    "duration",
    "project_id",
    "task_id",
    "job_id",
    "user_id",
    "user_name",
    "user_email",
    "org_id",
    "org_slug",
    "payload",
    "access_token_id",
]


def _rows(text: bytes) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text.decode(), newline=""))
    assert reader.fieldnames == COLUMNS
    return list(reader)


def _export(client: Client, **filters: object) -> list[dict[str, str]]:
    """The rows of the event log that match, through a background request."""
    response, _ = client.api_client.events_api.create_export(**filters)
    request, _ = client.wait_for_completion(response.rq_id)
    assert (request.operation.type, request.operation.target) == ("export:events", "events")
    file = client.api_client.rest_client.GET(request.result_url, headers=client.api_client.get_common_headers())
    assert file.headers["Content-Type"].startswith("text/csv")
    return _rows(file.data)


def _report(client: Client, events: list[models.EventRequest]) -> models.ClientEvents:
    message = models.ClientEventsRequest(events=events, timestamp=datetime.now(timezone.utc))
    reported, _ = client.api_client.events_api.create(client_events_request=message)
    return reported


def test_reported_events_are_exported_with_the_working_time(client: Client, small_task) -> None:
    job = small_task.get_jobs()[0]
    now = datetime.now(timezone.utc)

    def event(scope: str, seconds: float, **more: object) -> models.EventRequest:
        place = {"job_id": job.id, "task_id": small_task.id}
        return models.EventRequest(scope=scope, timestamp=now - timedelta(seconds=seconds), **place, **more)

    events = [
        event("load:job", 30, duration=1200),
        event("draw:object", 20, obj_name="rectangle", count=2, payload=json.dumps({"object": "a, \"b\"\n"})),
        event("change:frame", 10, payload=json.dumps({"from": 0, "to": 2})),
        event("send:exception", 5, payload=json.dumps({"message": "no"})),
    ]
    reported = _report(client, events)
    assert [each.scope for each in reported.events] == [each.scope for each in events]

    # Events of clients are written up to 250 ms later, and those before the creation of the task are only found with a time.
    since = (now - timedelta(hours=1)).isoformat()
    found: list[dict[str, str]] = []
    for _ in range(20):
        exported = _export(client, task_id=small_task.id, _from=since)
        found = [row for row in exported if row["source"] != "server"]
        if found:
            break
    rows = {row["scope"]: row for row in found}
    assert sorted(rows) == ["change:frame", "draw:object", "load:job"]
    drawn = rows["draw:object"]
    assert (drawn["obj_name"], drawn["count"], drawn["job_id"]) == ("rectangle", "2", str(job.id))
    assert json.loads(drawn["payload"])["object"] == "a, \"b\"\n"
    assert drawn["user_name"] == client.users.retrieve_current_user().username

    exported = _export(client, job_id=job.id, _from=since)
    [worked] = [row for row in exported if row["scope"] == "send:working_time"]
    assert (worked["source"], worked["duration"]) == ("server", "25000")


def test_changes_on_the_server_are_exported_oldest_first(client: Client, project) -> None:
    before = datetime.now(timezone.utc)
    project.update({"bug_tracker": "https://bugs.example.org"})
    rows = _export(client, project_id=project.id)
    scopes = [row["scope"] for row in rows]
    assert "create:project" in scopes
    assert [(row["obj_name"], row["obj_val"]) for row in rows if row["scope"] == "update:project"] == [
        ("bug_tracker", "https://bugs.example.org")
    ]
    assert [row["timestamp"] for row in rows] == sorted(row["timestamp"] for row in rows)
    later = _export(client, project_id=project.id, _from=before.isoformat())
    assert {row["scope"] for row in later} == {"update:project"}


def test_the_older_form_of_the_export(client: Client, project) -> None:
    api = client.api_client.events_api
    _, response = api.list(project_id=project.id, _parse_response=False)
    assert response.status == 202
    query_id = json.loads(response.data)["query_id"]
    while response.status == 202:
        _, response = api.list(query_id=query_id, _parse_response=False)
    assert response.status == 201
    _, file = api.list(query_id=query_id, action="download", filename="log.csv", _parse_response=False)
    assert file.status == 200
    assert 'filename="log.csv"' in file.headers["Content-Disposition"]
    assert "create:project" in [row["scope"] for row in _rows(file.data)]


def test_wrong_filters_are_refused(client: Client) -> None:
    with pytest.raises(exceptions.ApiException) as refused:
        client.api_client.events_api.create_export(_from="2026-01-02T00:00:00Z", to="2026-01-01T00:00:00Z")
    assert refused.value.status == 400
