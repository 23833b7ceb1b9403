/** URLs of the resources, absolute if the base is. */
export class Urls {
  /** @param base scheme and host without a trailing slash, such as `http://localhost:8080` */
  constructor(readonly base: string) {}

  user(id: number): string {
    return `${this.base}/api/users/${id}`;
  }
  project(id: number): string {
    return `${this.base}/api/projects/${id}`;
  }
  task(id: number): string {
    return `${this.base}/api/tasks/${id}`;
  }
  job(id: number): string {
    return `${this.base}/api/jobs/${id}`;
  }
  function(id: number): string {
    return `${this.base}/api/functions/${id}`;
  }
  webhook(id: number): string {
    return `${this.base}/api/webhooks/${id}`;
  }
  /** The URL of a list filtered to the children of one object: `…/api/jobs?task_id=7`. */
  children(list: string, parameter: string, id: number): string {
    return `${this.base}/api/${list}?${parameter}=${id}`;
  }
}
