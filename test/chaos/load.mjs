// Writers that make tasks with unique names as fast as they are answered, and keep what they know of each.
import { setTimeout as pause } from 'node:timers/promises';

/** There was no server to take the request. */
const NOT_BEGUN = 'not begun';

export class Load {
  /** Names of tasks whose creation was answered with 201. */
  acknowledged = new Set();
  /** Names whose request got no answer: made or not, only the database knows. */
  unanswered = new Set();
  /** Names that were refused: certainly not made. */
  refused = new Set();
  running = true;

  constructor(url, headers, projectId, writers) {
    this.url = url;
    this.headers = headers;
    this.projectId = projectId;
    this.done = Promise.all(Array.from({ length: writers }, (_, index) => this.write(index)));
  }

  async stop() {
    this.running = false;
    await this.done;
  }

  async write(writer) {
    for (let number = 0; this.running;) {
      const name = `w${writer}-${number}`;
      const answer = await this.post({ name, project_id: this.projectId });
      if (answer !== NOT_BEGUN) number += 1;
      if (answer === NOT_BEGUN) await pause(50);
      else if (answer === null) this.unanswered.add(name);
      else if (answer === 201) this.acknowledged.add(name);
      else this.refused.add(name);
      await pause(answer === 201 ? 5 : 50);
    }
  }

  async post(body) {
    const request = {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    };
    try {
      const answer = await fetch(`${this.url}/api/tasks`, request);
      await answer.arrayBuffer();
      // Errors of the server say nothing about the commit: the connection to the database may have gone while it ran.
      return answer.status >= 500 ? null : answer.status;
    } catch (error) {
      return error.cause?.code === 'ECONNREFUSED' ? NOT_BEGUN : null;
    }
  }
}
