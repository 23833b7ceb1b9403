// Writers that make tasks with unique names as fast as they are answered, and keep what they know of each; and one that saves
// and renames one project again and again.
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
  /** Saves and changes of the one project that were answered. */
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

  /** Saves that change nothing but the date, which a batch merges; each tenth time another name, which ends the batch. */
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
      // Errors of the server say nothing about the commit: the connection to the database may have gone while it ran.
      return answer.status >= 500 ? null : answer.status;
    } catch (error) {
      return error.cause?.code === 'ECONNREFUSED' ? NOT_BEGUN : null;
    }
  }
}
