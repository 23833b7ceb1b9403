import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoredChange } from '#shared/annotations/editing/document';
import { rectangleOn } from '../../../../../test/support/rectangle-on';
import { abandonedWork, discardWork, hasUnsavedWork, UnsavedStore } from './unsaved-store';

const slots = new Map<unknown, unknown>();
let isBroken = false;

/** The result of an operation, as IndexedDB reports it. */
function requested(result?: unknown): object {
  const request = { result, onsuccess: () => undefined, onupgradeneeded: () => undefined };
  setTimeout(() => request.onsuccess());
  return request;
}

const objectStore = {
  get: (key: unknown) => requested(slots.get(key)),
  put: (value: unknown, key: unknown) => void slots.set(key, structuredClone(value)),
  delete: (key: unknown) => void slots.delete(key),
  getAllKeys: () => {
    if (isBroken) throw new Error('Internal error opening backing store');
    return requested([...slots.keys()]);
  },
  get transaction() {
    return requested();
  },
};
const database = { transaction: () => ({ objectStore: () => objectStore }) };

/** The locks of the browser. */
class FakeLocks {
  private readonly held = new Set<string>();

  async request(name: string, ...rest: unknown[]): Promise<void> {
    const work = rest.at(-1) as (lock: object | null) => Promise<void> | undefined;
    if (this.held.has(name)) return work(null);
    this.held.add(name);
    try {
      await work({});
    } finally {
      this.held.delete(name);
    }
  }
}

const browser: { locks?: FakeLocks } = {};
const fakes: Record<string, unknown> = { indexedDB: { open: () => requested(database) }, navigator: browser };
const before = new Map(Object.keys(fakes).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));

beforeAll(() => {
  for (const [name, value] of Object.entries(fakes))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
});

afterAll(() => {
  for (const [name, descriptor] of before) {
    if (descriptor === undefined) delete (globalThis as Record<string, unknown>)[name];
    else Object.defineProperty(globalThis, name, descriptor);
  }
});

beforeEach(() => {
  slots.clear();
  isBroken = false;
  browser.locks = new FakeLocks();
});

const change = (key: string, left: number, id: number | null = null): StoredChange => {
  const base = id === null ? undefined : ({ kind: 'shape', value: rectangleOn(0, [0, 0, 9, 9]) } as const);
  return { key, id, base, object: { kind: 'shape', value: rectangleOn(0, [left, 0, 9, 9]) } };
};
const all = ({ changes }: { readonly changes: readonly StoredChange[] }): Promise<readonly StoredChange[]> =>
  Promise.resolve(changes);

/** A page with unsaved changes. */
async function page(...changes: StoredChange[]): Promise<UnsavedStore> {
  const store = new UnsavedStore(1, 7);
  store.open();
  await store.write(() => ({ changes, pending: undefined }));
  return store;
}

describe('UnsavedStore', () => {
  it.each(['with', 'without'])(
    'takes over the work of closed pages, and not of those that are open, %s locks',
    async (kind) => {
      if (kind === 'without') delete browser.locks; // as on pages without HTTPS
      const closed = await page(change('a', 1));
      const open = await page(change('b', 2));
      closed.close();
      expect(await new UnsavedStore(1, 7).takeOver(all)).toEqual([change('a', 1)]);
      open.close();
    },
  );

  it('gives the work of a closed page to one of two pages that ask at the same time, without locks', async () => {
    delete browser.locks;
    (await page(change('a', 1))).close();
    const taken = await Promise.all([1, 2].map(() => new UnsavedStore(1, 7).takeOver(all)));
    expect(taken.flat()).toEqual([change('a', 1)]);
  });

  it('takes over everything when the page is loaded again after an error', async () => {
    for (const one of [await page(change('a', 1)), await page(change('b', 2))]) one.close();
    const next = new UnsavedStore(1, 7);
    let attempts = 0;
    const failing = next.takeOver((work) =>
      (attempts += 1) === 2 ? Promise.reject(new Error('no server')) : all(work),
    );
    await expect(failing).rejects.toThrow('no server');
    const changes = await next.takeOver(all);
    expect(new Set(changes.map(({ key }) => key))).toEqual(new Set(['a', 'b']));
    expect(await next.takeOver(all)).toEqual(changes);
  });

  it('leaves the other version of an object to the next page', async () => {
    for (const one of [await page(change('new', 1, 5)), await page(change('shape:5', 2, 5))]) one.close();
    const next = await page();
    const [first] = await next.takeOver(all);
    await next.write(() => ({ changes: [], pending: undefined })); // saved
    next.close();
    const [second] = await new UnsavedStore(1, 7).takeOver(all);
    expect(new Set([first?.key, second?.key])).toEqual(new Set(['new', 'shape:5']));
  });

  it('reads and discards the work of closed pages in a job that is gone, and not of those that are open', async () => {
    const [closed, open] = [await page(change('a', 1)), await page(change('b', 2))];
    closed.close();
    const work = await abandonedWork(1, 7);
    expect(work).toEqual({ changes: [change('a', 1)], slots: [closed.slot] });
    expect(await abandonedWork(1, 8)).toEqual({ changes: [], slots: [] });
    await discardWork(work.slots);
    expect(await abandonedWork(1, 7)).toEqual({ changes: [], slots: [] });
    expect([...slots.keys()]).toEqual([open.slot]);
    open.close();
  });

  it('has nothing to take over if the browser cannot store anything', async () => {
    isBroken = true;
    expect(await new UnsavedStore(1, 7).takeOver(all)).toEqual([]);
    expect(await hasUnsavedWork(1, 7)).toBe(false);
  });
});
