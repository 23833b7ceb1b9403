"""Trains a new version of a model whenever a job is completed, and runs it on the jobs that nobody has started."""

import hmac
import json
import os
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import colour_boxes
from cvat_sdk import make_client

URL, TOKEN, SECRET = (os.environ[name] for name in ("CAIRN_URL", "CVAT_ACCESS_TOKEN", "WEBHOOK_SECRET"))
client = make_client(URL, access_token=TOKEN)
projects: Queue[int] = Queue()  # each has a completed job that was changed


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signature = "sha256=" + hmac.new(SECRET.encode(), body, "sha256").hexdigest()
        is_genuine = hmac.compare_digest(signature, self.headers.get("X-Signature-256", ""))
        self.send_response_only(204 if is_genuine else 403)
        self.end_headers()
        if is_genuine and (job := json.loads(body).get("job", {})).get("state") == "completed":
            projects.put(job["project_id"])


def export_changes(job, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    exported = max((int(file.stem) for file in folder.glob("*.zip")), default=0)
    _, response = client.api_client.call_api(f"/api/jobs/{job.id}/annotations/revisions", "GET")
    if (newest := max((revision["id"] for revision in json.loads(response.data)["results"]), default=0)) > exported:
        query = {"format": "Hugging Face ImageFolder 1.0", "save_images": True, "changed_since": exported}
        job.export(job.api.create_dataset_export_endpoint, folder / f"{newest}.zip", **query)


def run_cli(*arguments: object) -> str:
    return subprocess.check_output(["cvat-cli", "--server-host", URL, *map(str, arguments)], text=True).strip()


Thread(target=HTTPServer(("", int(os.environ.get("PORT", 8090))), Receiver).serve_forever, daemon=True).start()
while project := projects.get():
    for job in client.jobs.list(project_id=project, type="annotation", state="completed"):
        export_changes(job, Path("datasets", str(job.id)))
    datasets = sorted(Path("datasets").glob("*/*.zip"), key=lambda file: int(file.stem))
    model = Path(f"model-{len(datasets)}.json").resolve()
    if datasets and not model.exists():
        colour_boxes.train(datasets, model)
        code = ("--function-file", colour_boxes.__file__, "-p", f"model=str:{model}")
        function = run_cli("function", "create-native", f"Colour boxes {len(datasets)}", *code)
        for job in client.jobs.list(project_id=project, type="annotation", state="new"):
            request = {"function": function, "task": job.task_id, "job": job.id, "cleanup": True}
            options = {"_check_status": False, "_parse_response": False}
            while (response := client.api_client.lambda_api.create_requests(request, **options)[1]).status == 409:
                Event().wait(5)  # until no other request annotates the task
            assert response.status < 300, response.data
            run_cli("function", "run-agent", function, *code, "--burst")
