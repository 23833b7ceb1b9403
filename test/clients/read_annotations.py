"""Prints the annotations of jobs as the official SDK reads them: a JSON object by job id. For the browser tests.

    CAIRN_URL=… CAIRN_USERNAME=… CAIRN_PASSWORD=… python read_annotations.py JOB_ID…
"""

import json
import os
import sys

from cvat_sdk import Client, Config


def plain(value: object) -> object:
    """The value with enumerations and dates as texts."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def main() -> None:
    with Client(os.environ["CAIRN_URL"], config=Config(allow_unsupported_server=False)) as client:
        client.login((os.environ["CAIRN_USERNAME"], os.environ["CAIRN_PASSWORD"]))
        read = {job_id: plain(client.jobs.retrieve(int(job_id)).get_annotations().to_dict()) for job_id in sys.argv[1:]}
    json.dump(read, sys.stdout)


if __name__ == "__main__":
    main()
