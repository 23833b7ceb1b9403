// Writers that create tasks with unique names as fast as the server responds, and record what they know of each; and
// one that saves and renames one project repeatedly.
import { setTimeout as pause } from 'node:timers/promises';

/** No server accepted the request. */
const NOT_BEGUN = 'not begun';

export class Load {
  /** Names of tasks whose creation returned 201. */
  acknowledged = new Set();
  /** Names whose request got no response: only the database knows whether they were created. */
  unanswered = new Set();
  /** Names that were refused, so certainly not created. */
  refused = new Set();
  /** Number of saves and changes of the project that got a response. */
  saved = 0;
  running = true;

  constructor(url, headers, projectId, savedId, writers) {
    this.url = url;
    this.headers = headers;
    this.projectId = projectId;
    this.savedId = savedId;
    const all = Array.from({ length: writers }, (_, index) => this.write(index));
    this.done = Promise.all([...all, this.save()]);
  }

  async stop() {
    this.running = false;
    await this.done;
  }

  async write(writer) {
    for (let number = 0; this.running;) {
      const name = `w${writer}-${number}`;
      const answer = await this.send('POST', '/api/tasks', { name, project_id: this.projectId });
      if (answer !== NOT_BEGUN) number += 1;
      if (answer === NOT_BEGUN) await pause(50);
      else if (answer === null) this.unanswered.add(name);
      else if (answer === 201) this.acknowledged.add(name);
      else this.refused.add(name);
      await pause(answer === 201 ? 5 : 50);
    }
  }

  /**
   * A save that changes only the date, which a batch merges. Every tenth save changes the name, which ends the batch.
   */
  async save() {
    for (let number = 0; this.running; number += 1) {
      const change = number % 10 === 9 ? { name: `saved ${number}` } : {};
      const answer = await this.send('PATCH', `/api/projects/${this.savedId}`, change);
      if (answer === 200) this.saved += 1;
      await pause(answer === 200 ? 20 : 50);
    }
  }

  async send(method, path, body) {
    const request = {
      method,
      headers: this.headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    };
    try {
      const answer = await fetch(this.url + path, request);
      await answer.arrayBuffer();
      // Server errors say nothing about the commit: the database connection may have been lost while it ran.
      return answer.status >= 500 ? null : answer.status;
    } catch (error) {
      return error.cause?.code === 'ECONNREFUSED' ? NOT_BEGUN : null;
    }
  }
}
