"""Runs a file of requests on a macbatch pool with OpenAI's Python client.

    pip install openai
    OPENAI_BASE_URL=http://127.0.0.1:7420/v1 OPENAI_API_KEY=mbk_... python openai_batch.py requests.jsonl

While the pool has no keys, OPENAI_API_KEY can be any text.
"""

import json
import sys
import time

from openai import OpenAI

ENDED = {"completed", "failed", "expired", "cancelled"}


def main(path: str) -> int:
    client = OpenAI()
    print("models:", ", ".join(model.id for model in client.models.list()) or "none, start a worker", file=sys.stderr)

    with open(path, "rb") as lines:
        endpoint = json.loads(lines.readline())["url"]
    with open(path, "rb") as lines:
        file = client.files.create(file=lines, purpose="batch")
    batch = client.batches.create(input_file_id=file.id, endpoint=endpoint, completion_window="24h")

    while batch.status not in ENDED:
        time.sleep(1)
        batch = client.batches.retrieve(batch.id)
        counts = batch.request_counts
        print(f"{batch.id} {batch.status}: {counts.completed} of {counts.total}, {counts.failed} failed", file=sys.stderr)

    for error in batch.errors.data if batch.errors else []:
        print(f"line {error.line}: {error.code}: {error.message}", file=sys.stderr)
    for file_id in (batch.output_file_id, batch.error_file_id):
        if file_id:
            sys.stdout.write(client.files.content(file_id).text)
    return 0 if batch.status == "completed" and batch.request_counts.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
