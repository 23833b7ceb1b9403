// A minimal API client. The rest of this folder is what a user of the API would write.

const REQUEST_TIMEOUT_MS = 60_000;

/** An error response, with the server's message. */
export class ApiError extends Error {
  constructor(method, path, status, body) {
    super(`${method} ${path} failed with ${status}: ${body.slice(0, 500)}`);
    this.name = 'ApiError';
    this.status = status;
  }
}

/**
 * A client of one server.
 *
 * The media type in `Accept` selects the API version. The token is sent in `Authorization`.
 */
export class ApiClient {
  #authorization = {};

  constructor(baseUrl) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
  }

  /** Logs in and keeps the token for later requests. */
  async login(username, password) {
    const { key } = await this.post('/api/auth/login', { username, password });
    this.#authorization = { Authorization: `Token ${key}` };
  }

  /** GET request with a JSON response. */
  async get(path) {
    return (await this.#send('GET', path)).json();
  }

  /** GET request with a binary response: an image or an archive. */
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

  /** Reads all items of a list, page by page. */
  async list(path) {
    const separator = path.includes('?') ? '&' : '?';
    const items = [];
    for (let page = 1; ; page++) {
      const response = await this.get(`${path}${separator}page=${page}&page_size=100`);
      items.push(...response.results);
      if (response.next === null) return items;
    }
  }

  async #send(method, path, body) {
    const headers = { Accept: 'application/vnd.cvat+json; version=2.1', ...this.#authorization };
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers['Content-Type'] = 'application/json';
    const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = await fetch(this.baseUrl + path, { method, headers, signal, ...sent }).catch((error) => {
      throw new Error(`${method} ${path} received no response: ${error.cause?.message ?? error.message}`);
    });
    if (!response.ok) throw new ApiError(method, path, response.status, await response.text());
    return response;
  }
}
