/** Responses are discarded after this time. A large job takes long to load on a slow machine. */
const KEPT_MS = 60_000;

/** Responses to requests that were sent before the app has started. Each is for the first request with the same key. */
export class EarlyResponses {
  private readonly responses = new Map<string, Promise<Response>>();
  /** Keys of requests that the app has sent. */
  private readonly sent = new Set<string>();

  /** Whether the app has sent the request already. */
  isLate(key: string): boolean {
    return this.sent.has(key);
  }

  add(key: string, response: Promise<Response>): void {
    this.responses.set(key, response);
    response.catch(() => undefined);
    setTimeout(() => this.discard(key), KEPT_MS);
  }

  /** @returns the response, once */
  take(key: string): Promise<Response> | undefined {
    const response = this.responses.get(key);
    this.responses.delete(key);
    this.sent.add(key);
    return response;
  }

  /** Reads the response, because one that nobody reads would keep its connection open. */
  private discard(key: string): void {
    const response = this.responses.get(key);
    this.responses.delete(key);
    response?.then((unused) => unused.arrayBuffer()).catch(() => undefined);
  }
}
