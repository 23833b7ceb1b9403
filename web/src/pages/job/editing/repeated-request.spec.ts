import { beforeEach, describe, expect, it } from '@jest/globals';
import { sendRepeatedly } from './repeated-request';

interface Attempt {
  readonly signal: AbortSignal;
  respond(response: string): void;
  fail(error: Error): void;
}

const refused = new Error('refused');
let attempts: Attempt[];
/** The pauses, and how to end the current one. */
let pauses: number[];
let elapse: () => void;
let silences: number;
let sent: (() => void) | undefined;

beforeEach(() => {
  attempts = [];
  pauses = [];
  silences = 0;
  sent = undefined;
});

/** Begins a request. */
const start = (): Promise<string> =>
  sendRepeatedly<string>({
    send: (signal) =>
      new Promise((respond, fail) => {
        attempts.push({ signal, respond, fail });
        sent?.();
      }),
    isRefused: (error) => error === refused,
    onSilence: async () => void (silences += 1),
    pause: (ms) => {
      pauses.push(ms);
      return new Promise((resolve) => (elapse = resolve));
    },
  });

/** Waits in vain until the request is repeated. */
async function waitInVain(): Promise<void> {
  const repeated = new Promise<void>((resolve) => (sent = resolve));
  elapse();
  await repeated;
}

describe('sendRepeatedly', () => {
  it('sends a request once if the server responds', async () => {
    const response = start();
    attempts[0]?.respond('saved');
    expect(await response).toBe('saved');
    expect([attempts.length, silences]).toEqual([1, 0]);
  });

  it('waits longer and longer, and never aborts the first attempt while there is no response', async () => {
    const response = start();
    for (let repetition = 0; repetition < 3; repetition += 1) await waitInVain();
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([false, true, true, false]);
    expect(silences).toBe(3);
    expect(pauses.map((ms) => ms / (pauses[0] ?? 0))).toEqual([1, 2, 4, 8]);
    attempts[0]?.respond('saved slowly');
    expect(await response).toBe('saved slowly');
    expect(attempts.every(({ signal }) => signal.aborted)).toBe(true);
  });

  it('returns the response of a repetition', async () => {
    const response = start();
    await waitInVain();
    attempts[1]?.respond('saved');
    expect(await response).toBe('saved');
    expect(attempts[0]?.signal.aborted).toBe(true);
  });

  it('goes on waiting for the first attempt after a repetition has failed, unless it was refused', async () => {
    const response = start();
    await waitInVain();
    attempts[1]?.fail(new Error('still processing'));
    await waitInVain();
    attempts[2]?.fail(refused);
    await expect(response).rejects.toBe(refused);
  });

  it('fails with the first attempt', async () => {
    const response = start();
    await waitInVain();
    attempts[0]?.fail(new Error('connection lost'));
    await expect(response).rejects.toThrow('connection lost');
  });
});
