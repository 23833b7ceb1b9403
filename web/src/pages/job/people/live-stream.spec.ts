import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Presence } from '../../../app/api';
import { LiveStream } from './live-stream';

const STATE = { people: [], revision: 1, job: { id: 7 } } as unknown as Presence;

/** A stream whose events the test sends. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static readonly opened: FakeSource[] = [];
  readyState = 0;

  constructor(readonly url: string) {
    super();
    FakeSource.opened.push(this);
  }

  message(state: unknown = STATE): void {
    this.readyState = 1;
    this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(state) }));
  }

  /** @param isFinal whether the browser gives up, as after an error response */
  fail(isFinal = false): void {
    this.readyState = isFinal ? FakeSource.CLOSED : 0;
    this.dispatchEvent(new Event('error'));
  }

  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
}

let page: EventTarget & { visibilityState: string };
let shown: (Presence | undefined)[];
let stream: LiveStream;

beforeEach(() => {
  jest.useFakeTimers();
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  Object.assign(globalThis, { EventSource: FakeSource, document: page });
  FakeSource.opened.length = 0;
  shown = [];
  stream = new LiveStream(7, (state) => shown.push(state));
});

afterEach(() => {
  stream.close();
  jest.useRealTimers();
  for (const name of ['EventSource', 'document']) Reflect.deleteProperty(globalThis, name);
});

const latest = (): FakeSource => {
  const source = FakeSource.opened.at(-1);
  if (source === undefined) throw new Error('No stream was opened.');
  return source;
};

const setVisible = (isVisible: boolean): void => {
  page.visibilityState = isVisible ? 'visible' : 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
};

it('keeps people for a moment while the browser reconnects, and shows none when the network is lost', () => {
  latest().message();
  latest().fail();
  jest.advanceTimersByTime(3_000);
  latest().message();
  jest.advanceTimersByTime(10_000);
  expect(shown).toEqual([STATE, STATE]);
  latest().fail();
  jest.advanceTimersByTime(7_000);
  expect(shown.at(-1)).toBeUndefined();
  latest().message(); // the network is back, and the browser has connected again
  expect(shown.at(-1)).toEqual(STATE);
  expect(FakeSource.opened).toHaveLength(1);
});

it('connects again after an error response, as the same window', () => {
  latest().fail(true);
  jest.advanceTimersByTime(9_000);
  expect(FakeSource.opened).toHaveLength(1);
  jest.advanceTimersByTime(2_000);
  expect(FakeSource.opened).toHaveLength(2);
  expect(new Set(FakeSource.opened.map(({ url }) => url)).size).toBe(1);
});

it('connects again as soon as a suspended computer wakes, as its connection is dead', () => {
  const [first] = [latest()];
  first.message();
  jest.setSystemTime(Date.now() + 3_600_000); // timers stand still meanwhile
  jest.advanceTimersByTime(5_000);
  expect(FakeSource.opened).toHaveLength(2);
  expect(first.readyState).toBe(FakeSource.CLOSED);
  latest().message({ ...STATE, revision: 9 });
  jest.advanceTimersByTime(10_000);
  expect(shown.at(-1)?.revision).toBe(9);
});

it('connects again when nothing arrives for longer than a stream lasts', () => {
  latest().message();
  jest.advanceTimersByTime(70_000);
  expect(FakeSource.opened).toHaveLength(1);
  jest.advanceTimersByTime(15_000);
  expect(FakeSource.opened).toHaveLength(2);
  expect(shown.at(-1)).toEqual(STATE);
  jest.advanceTimersByTime(7_000);
  expect(shown.at(-1)).toBeUndefined();
});

it('is closed while its tab is hidden for long, and when the job is deleted', () => {
  latest().message();
  setVisible(false);
  jest.advanceTimersByTime(31_000);
  expect(latest().readyState).toBe(FakeSource.CLOSED);
  jest.advanceTimersByTime(120_000);
  expect(FakeSource.opened).toHaveLength(1);
  setVisible(true);
  expect(FakeSource.opened).toHaveLength(2);
  latest().message({ ...STATE, job: null });
  jest.advanceTimersByTime(120_000);
  expect(FakeSource.opened).toHaveLength(2);
});
