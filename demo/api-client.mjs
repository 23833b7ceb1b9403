// The few lines that talk to the server. Everything else in this folder is what a user of the API would write.

const REQUEST_TIMEOUT_MS = 60_000;

/** A refusal by the server, told in one sentence with the server's own words. */
export class ApiError extends Error {
  constructor(method, path, status, body) {
    super(`${method} ${path} was answered with ${status}: ${body.slice(0, 500)}`);
    this.name = 'ApiError';
    this.status = status;
  }
}

/**
 * A client of one server.
 *
 * The version of the API is chosen by the vendor media type in `Accept`; the token goes into `Authorization`.
 */
export class ApiClient {
  #authorization = {};

  constructor(baseUrl) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
  }

  /** Logs in with a name and a password and keeps the token for all later calls. */
  async login(username, password) {
    const { key } = await this.post('/api/auth/login', { username, password });
    this.#authorization = { Authorization: `Token ${key}` };
  }

  /** GET of a JSON answer. */
  async get(path) {
    return (await this.#send('GET', path)).json();
  }

  /** GET of bytes: an image or an archive. */
  async getBytes(path) {
    return Buffer.from(await (await this.#send('GET', path)).arrayBuffer());
  }

  async post(path, body) {
    return (await this.#send('POST', path, body)).json();
  }

  async put(path, body) {
    return (await this.#send('PUT', path, body)).json();
  }

  async patch(path, body) {
    return (await this.#send('PATCH', path, body)).json();
  }

  async delete(path) {
    await this.#send('DELETE', path);
  }

  /** Every item of a list, page by page. */
  async list(path) {
    const separator = path.includes('?') ? '&' : '?';
    const items = [];
    for (let page = 1; ; page++) {
      const answer = await this.get(`${path}${separator}page=${page}&page_size=100`);
      items.push(...answer.results);
      if (answer.next === null) return items;
    }
  }

  async #send(method, path, body) {
    const headers = { Accept: 'application/vnd.cvat+json; version=2.1', ...this.#authorization };
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers['Content-Type'] = 'application/json';
    const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = await fetch(this.baseUrl + path, { method, headers, signal, ...sent }).catch((error) => {
      throw new Error(`${method} ${path} got no answer: ${error.cause?.message ?? error.message}`);
    });
    if (!response.ok) throw new ApiError(method, path, response.status, await response.text());
    return response;
  }
}
