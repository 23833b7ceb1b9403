import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { AnnotationDocument, type StoredChange } from '#shared/annotations/editing/document';
import { type EditedObject, storedObjects } from '#shared/annotations/editing/edited-object';
import { emptyData, type LabeledData, type Shape } from '#shared/annotations/model';
import { rectangleOn } from '../../../../../test/support/rectangle-on';
import type * as CompletedSaveModule from './completed-save';
import type { Save } from './save';
import type * as SaverModule from './saver';

const JOB = 7;
const MINE = 1;
const THEIRS = 2;

/**
 * What happens to a save: it does not arrive; its response does not arrive; the session has expired; the server never
 * responds, before or after it has processed the request.
 */
type Fault = 'none' | 'not sent' | 'lost' | 'logged out' | 'hangs' | 'hangs after';

/** The requests of the saver, as the server handles them. */
class FakeServer {
  readonly shapes = new Map<number, Shape>();
  readonly responses = new Map<string, string>();
  maxObjects = Infinity;
  /** One for each of the next saves. */
  faults: Fault[] = [];
  private revision = 1;
  private nextId = 1;

  readonly fetch = async (input: unknown): Promise<Response> => {
    const request = input as Request;
    if (new URL(request.url).pathname === '/api/labels')
      return json(
        200,
        JSON.stringify({ count: 1, next: null, previous: null, results: [{ id: MINE }, { id: THEIRS }] }),
      );
    if (request.method === 'GET') return this.read(request);
    const fault = this.faults.shift() ?? 'none';
    this.isHanging ||= fault.startsWith('hangs');
    if (fault === 'none') return this.save(request);
    if (fault === 'lost' || fault === 'hangs after') await this.save(request);
    if (this.isHanging) this.elapse();
    if (fault.startsWith('hangs')) return NEVER;
    if (fault === 'logged out') return json(401, '{"detail":"Authentication credentials were not provided."}');
    throw new TypeError('Failed to fetch');
  };

  /** Resolves when a save hangs, or when its repetition has failed: then, the time is over after which it is repeated. */
  readonly pause = async (): Promise<void> => {
    if (this.isOver) this.isOver = false;
    else await new Promise<void>((resolve) => (this.endPause = resolve));
  };
  private endPause: (() => void) | undefined;
  private isOver = false;
  isHanging = false;

  private elapse(): void {
    if (this.endPause === undefined) this.isOver = true;
    else this.endPause();
    this.endPause = undefined;
  }

  /** Changes that another user makes. */
  change(edit: (shapes: Map<number, Shape>, id: number) => void): void {
    edit(this.shapes, this.nextId++);
    this.revision += 1;
  }

  get data(): LabeledData {
    return { ...emptyData(), shapes: Array.from(this.shapes, ([id, shape]) => ({ ...shape, id })) };
  }

  private get etag(): string {
    return `"${this.revision}"`;
  }

  private read(request: Request): Response {
    if (request.headers.get('If-None-Match') === this.etag) return new Response(null, { status: 304 });
    return json(200, JSON.stringify(this.data), this.etag);
  }

  private async save(request: Request): Promise<Response> {
    const { shapes } = (await request.json()) as LabeledData; // the rest is atomic
    const key = request.headers.get('Idempotency-Key') ?? '';
    const known = this.responses.get(key);
    if (known !== undefined) return json(200, known, JSON.parse(known).etag);
    if (request.headers.get('If-Match') !== this.etag) return json(412, '{"detail":"Somebody else has saved."}');
    const action = new URL(request.url).searchParams.get('action');
    if (shapes.length > this.maxObjects) return json(413, '{"detail":"Too large."}');
    const saved = shapes.map((shape) => ({ ...shape, id: action === 'create' ? this.nextId++ : (shape.id ?? 0) }));
    for (const { id, ...shape } of saved) {
      if (action === 'delete') this.shapes.delete(id);
      else this.shapes.set(id, { ...shape, id: null });
    }
    this.revision += 1;
    const body = JSON.stringify({ ...emptyData(), shapes: saved, etag: this.etag });
    this.responses.set(key, body);
    return json(200, body, this.etag);
  }
}

const json = (status: number, body: string, etag = ''): Response =>
  new Response(body, { status, headers: { 'Content-Type': 'application/json', ETag: etag } });

const NEVER = new Promise<Response>(() => undefined);

let server: FakeServer;
let module: typeof SaverModule & typeof CompletedSaveModule;
const global = globalThis as Record<string, unknown>;
const replaced = ['window', 'document', 'localStorage', 'fetch'];
const before = new Map(replaced.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));

const define = (name: string, value: unknown): void =>
  void Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

beforeAll(async () => {
  define('window', { location: { origin: 'http://cairn.test' } });
  define('document', { cookie: '' });
  define('localStorage', { getItem: () => '' });
  define('fetch', (request: unknown) => server.fetch(request));
  module = { ...(await import('./saver')), ...(await import('./completed-save')) };
});

afterAll(() => {
  for (const [name, descriptor] of before) {
    if (descriptor === undefined) delete global[name];
    else Object.defineProperty(globalThis, name, descriptor);
  }
});

beforeEach(() => {
  server = new FakeServer();
});

/** A page with the job, and what the browser keeps of it. */
class Page {
  private readonly saver: SaverModule.Saver;
  readonly states: SaverModule.SaveState[] = [];
  private kept: { changes: StoredChange[]; pending: Save | undefined } | undefined;

  private constructor(readonly document: AnnotationDocument) {
    const events = {
      onPending: async () => this.keep(),
      onDocument: () => this.keep(),
      onState: (state: SaverModule.SaveState) => void this.states.push(state),
      onLabelsDeleted: () => undefined,
      onMerged: () => undefined,
      heldKey: () => undefined,
    };
    this.saver = new module.Saver(JOB, document, server['etag'], events, server.pause);
  }

  /** @param earlier a page that was killed */
  static async open(earlier?: Page): Promise<Page> {
    server.faults = [];
    const { changes = [], pending } = structuredClone(earlier?.kept) ?? {};
    const left = pending === undefined ? changes : await module.completed(JOB, changes, pending);
    const page = new Page(new AnnotationDocument(storedObjects(server.data)));
    expect(page.document.restore(left)).toEqual([]);
    page.keep();
    return page;
  }

  keep(): void {
    const { pending } = this.saver;
    const sent = pending?.objects.map(({ key }) => key);
    this.kept = structuredClone({ changes: this.document.unsavedForStorage(undefined, sent), pending });
  }

  /** @returns whether everything was saved */
  save(...faults: Fault[]): Promise<boolean> {
    server.faults = faults;
    server.isHanging = false;
    return this.saver.save().then(
      () => true,
      () => false,
    );
  }

  catchUp(): Promise<boolean> {
    return this.saver.catchUp();
  }

  put(key: string, shape: Shape | undefined): void {
    const object: EditedObject | undefined = shape && { kind: 'shape', value: shape };
    this.document.change('Edit', [[key, object]]);
    this.keep();
  }
}

const contents = (shapes: Iterable<Shape>, label = MINE): string[] =>
  [...shapes]
    .filter(({ label_id: id }) => id === label)
    .map(({ points }) => points.join())
    .toSorted();
const seenOn = ({ document }: Page): Shape[] => Array.from(document.entries(), ([, { value }]) => value as Shape);

let number = 0;
/** A rectangle unlike all others. */
const anew = (label = MINE): Shape => ({ ...rectangleOn(0, [(number += 1), 0, 500, 500]), label_id: label });

describe('Saver', () => {
  it.each(['not sent', 'lost'] as const)(
    'does not save twice if the session expires after a save was %s',
    async (fault) => {
      const page = await Page.open();
      page.put('new', anew());
      await page.save(fault);
      await page.save('logged out');
      expect(await page.save()).toBe(true);
      expect(server.shapes.size).toBe(1);
    },
  );

  it.each(['hangs', 'hangs after'] as const)(
    'says that the server does not respond, and saves once, if the server %s',
    async (fault) => {
      const page = await Page.open();
      page.put('new', anew());
      expect(await page.save(fault, 'not sent', 'none')).toBe(true);
      expect(page.states).toEqual(['saving', 'saving', 'waiting', 'waiting', 'saved']);
      expect(server.shapes.size).toBe(1);
    },
  );

  it('does not save twice after the server has forgotten the key of a save', async () => {
    const page = await Page.open();
    page.put('new', anew());
    await page.save('lost');
    server.responses.clear();
    expect(await page.save()).toBe(true);
    page.put('next', anew());
    await page.save('lost');
    server.responses.clear();
    const next = await Page.open(page);
    expect(await next.save()).toBe(true);
    expect(server.shapes.size).toBe(2);
  });

  it.each(['running', 'next'])('deletes what was undone before the %s page knew that it was created', async (which) => {
    const page = await Page.open();
    page.put('new', anew());
    await page.save('lost');
    page.document.undo();
    page.keep();
    const last = which === 'next' ? await Page.open(page) : page;
    expect(await last.save()).toBe(true);
    expect(server.shapes.size).toBe(0);
  });

  it('divides a save that is too large for the server', async () => {
    const page = await Page.open();
    for (let at = 0; at < 20; at += 1) page.put(`new ${at}`, anew());
    server.maxObjects = 3;
    expect(await page.save()).toBe(true);
    expect(contents(server.shapes.values())).toEqual(contents(seenOn(page)));
    expect(server.shapes.size).toBe(20);
    page.put('next', anew());
    server.maxObjects = 0;
    expect(await page.save()).toBe(false);
  });

  it('saves exactly what the user sees, whatever happens to its requests', async () => {
    const fault = fc.constantFrom<Fault>('none', 'not sent', 'lost', 'logged out', 'hangs', 'hangs after');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('create', 'change', 'delete'), which: fc.nat(9) }) },
      fc.record({ do: fc.constantFrom('undo', 'redo', 'catch up', 'forget keys'), which: fc.constant(0) }),
      fc.record({ do: fc.constant('others save'), which: fc.nat(3) }),
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('save'),
          which: fc.constant(0),
          faults: fc.array(fault, { maxLength: 3 }),
        }),
      },
      fc.record({ do: fc.constant('kill'), which: fc.constant(0), faults: fc.array(fault, { maxLength: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        server = new FakeServer();
        let page = await Page.open();
        for (const { do: what, which, faults = [] } of steps as { do: string; which: number; faults?: Fault[] }[]) {
          const mine = [...page.document.entries()].filter(([, { value }]) => value.label_id === MINE);
          const key = mine[which % Math.max(1, mine.length)]?.[0];
          if (what === 'create') page.put(`new ${(number += 1)}`, anew());
          if (what === 'change' && key !== undefined) page.put(key, anew());
          if (what === 'delete' && key !== undefined) page.put(key, undefined);
          if (what === 'undo') page.document.undo();
          if (what === 'redo') page.document.redo();
          page.keep();
          if (what === 'catch up') await page.catchUp();
          if (what === 'forget keys') server.responses.clear();
          if (what === 'others save') server.change((shapes, id) => shapes.set(id, anew(THEIRS)));
          const seen = contents(seenOn(page));
          if (what === 'save') await page.save(...faults);
          if (what === 'kill') {
            await page.save(...faults);
            page = await Page.open(page);
          }
          expect(contents(seenOn(page))).toEqual(seen);
        }
        expect(await page.save()).toBe(true);
        await page.catchUp();
        for (const label of [MINE, THEIRS])
          expect(contents(server.shapes.values(), label)).toEqual(contents(seenOn(page), label));
      }),
      { numRuns: 200 },
    );
  });
});
