/**
 * After this time without a response, the user is told and the request is repeated; again after twice the time, and so on.
 */
const SILENCE_MS = 45_000;

export interface RepeatedRequest<Response> {
  /** Sends the request. The server must process repetitions only once. */
  send(signal: AbortSignal): Promise<Response>;
  /** Whether the error of a repetition tells that the server will not process the request. */
  isRefused(error: unknown): boolean;
  /** Called before each repetition. */
  onSilence(): Promise<void>;
  /** Waits. Replaced in tests. */
  pause?(ms: number): Promise<void>;
}

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends a request to a server that possibly never responds. Browsers do not tell how much of a body has been sent, so the
 * first attempt is never aborted: on a slow line it can still be on its way. Each repetition replaces the previous one.
 * @returns the first response. The other attempts are aborted then
 */
export function sendRepeatedly<Response>({
  send,
  isRefused,
  onSilence,
  pause = pauseFor,
}: RepeatedRequest<Response>): Promise<Response> {
  const over = new AbortController();
  return new Promise<Response>((resolve, reject) => {
    const repeat = async (): Promise<void> => {
      let last = new AbortController();
      for (let ms = SILENCE_MS; ; ms *= 2) {
        await pause(ms);
        if (over.signal.aborted) return;
        await onSilence();
        last.abort();
        last = new AbortController();
        send(AbortSignal.any([over.signal, last.signal])).then(resolve, (error: unknown) =>
          isRefused(error) ? reject(error) : undefined,
        );
      }
    };
    repeat().catch(reject);
    send(over.signal).then(resolve, reject);
  }).finally(() => over.abort());
}
