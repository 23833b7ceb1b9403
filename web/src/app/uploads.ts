import {
  type BackgroundRequest,
  CairnError,
  type DataParameters,
  noProgress,
  RequestFailed,
  sendResumably,
  type UploadFile,
  type UploadProgress,
  waitForRequest,
} from 'cairn-client';
import { useSyncExternalStore } from 'react';
import { api, ServerAway } from './api';
import { connection } from './connection';
import { explain, type Problem } from './problems';

/**
 * `sending`; `paused` by a person or because the disk is full; `broken`: the server is away or the session has ended, goes
 * on by itself; `processing` by the server; `done`; `failed`.
 */
export type UploadState = 'sending' | 'paused' | 'broken' | 'processing' | 'done' | 'failed';

/** What is to be sent, and where to. */
export interface UploadPlan {
  /** One for each object and purpose: what is under way there already is found by it. */
  readonly key: string;
  readonly title: string;
  /** Where the work can be seen. */
  readonly page: string;
  /** `frames` for a task, which its page shows; `import` into what is there already; `restore` of something new. */
  readonly purpose: 'frames' | 'import' | 'restore';
  /** Path that files are announced at, with its slash at the end. */
  readonly collection: string;
  readonly files: readonly UploadFile[];
  /** Said when all files are there. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: DataParameters;
}

/** Files on their way. */
export interface Upload extends Pick<UploadPlan, 'key' | 'title' | 'page' | 'purpose'> {
  readonly state: UploadState;
  readonly files: number;
  readonly totalBytes: number;
  readonly sentBytes: number;
  readonly request: BackgroundRequest | null;
  /** Why it is paused, broken or failed. */
  readonly problem: Problem | null;
}

interface Item {
  readonly file: UploadFile;
  readonly progress: UploadProgress;
}

const PIECE_BYTES = 8 * 2 ** 20;
const FIRST_PIECE_BYTES = 2 ** 20;
const FILES_AT_A_TIME = 3;

/** Sends the files of one plan. What it has reached survives pauses, broken connections and ended sessions. */
class Transfer {
  shown: Upload;
  private readonly items: readonly Item[];
  private readonly pace = { bytes: FIRST_PIECE_BYTES };
  private abort = new AbortController();
  /** The attempts so far: the next one waits until the former has let go of its files. */
  private attempts: Promise<void> = Promise.resolve();
  /** What was sent before for the same purpose, and given up, is not to be mixed with these files. */
  private isAlone: boolean;
  /** Of the work that was made of the files. */
  private requestId: string | undefined;

  constructor(
    private readonly plan: UploadPlan,
    private readonly changed: () => void,
  ) {
    const { key, title, page, purpose, files } = plan;
    this.isAlone = purpose !== 'frames';
    this.items = files.map((file) => ({ file, progress: noProgress() }));
    this.shown = {
      key,
      title,
      page,
      purpose,
      state: 'sending',
      files: files.length,
      totalBytes: files.reduce((sum, { data }) => sum + data.size, 0),
      sentBytes: 0,
      request: null,
      problem: null,
    };
  }

  /** Begins, or goes on from where the server is. */
  run(): void {
    const abort = new AbortController();
    this.abort = abort;
    this.show({ state: 'sending', problem: null });
    this.attempts = this.attempts.then(() => this.attempt(abort));
  }

  pause(): void {
    this.abort.abort();
    this.show({ state: 'paused' });
  }

  private async attempt(abort: AbortController): Promise<void> {
    try {
      this.requestId ??= await this.send(abort);
      abort.signal.throwIfAborted();
      this.show({ state: 'processing' });
      const onProgress = (request: BackgroundRequest): void => this.show({ request });
      const request = await waitForRequest(api, this.requestId, { intervalMs: 1000, onProgress, signal: abort.signal });
      this.show({ state: 'done', request });
    } catch (error) {
      if (!abort.signal.aborted) this.note(error);
    }
  }

  private async send(abort: AbortController): Promise<string> {
    const { signal } = abort;
    const { collection } = this.plan;
    if (!this.isAlone) await api.send(`${collection}uploads`, { method: 'DELETE', signal });
    this.isAlone = true;
    await api.send(collection, { method: 'POST', headers: { 'Upload-Start': 'true' }, signal });
    const waiting = this.items.filter(({ progress }) => !progress.isComplete);
    const rest = new AbortController(); // one failure ends the others, before anything is tried again
    const either = AbortSignal.any([signal, rest.signal]);
    const senders = Array.from({ length: FILES_AT_A_TIME }, () => this.sendOneByOne(waiting, either));
    try {
      await Promise.all(senders);
    } finally {
      rest.abort();
      await Promise.allSettled(senders);
    }
    return this.finish(signal);
  }

  private async sendOneByOne(waiting: Item[], signal: AbortSignal): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const onProgress = (): void => this.show({ sentBytes: this.sentBytes });
      await sendResumably(api, this.plan.collection, item.file, item.progress, {
        pieceBytes: PIECE_BYTES,
        pace: this.pace,
        signal,
        onProgress,
      });
      onProgress();
    }
  }

  /** @returns id of the request that processes the files; it may have been made before the connection broke */
  private async finish(signal: AbortSignal): Promise<string> {
    const { collection, query, body = {} } = this.plan;
    try {
      const headers = { 'Upload-Finish': 'true', 'Content-Type': 'application/json' };
      const path = query === undefined ? collection : `${collection}?${new URLSearchParams(query).toString()}`;
      const answer = await api.send(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
      return ((await answer.json()) as { rq_id: string }).rq_id;
    } catch (error) {
      const known =
        error instanceof CairnError && error.status === 409 ? (error.body as { rq_id?: string }).rq_id : undefined;
      if (known === undefined) throw error;
      return known;
    }
  }

  private get sentBytes(): number {
    return this.items.reduce((sum, { progress }) => sum + progress.offset, 0);
  }

  private note(error: unknown): void {
    const problem = explain(error);
    const isBroken = error instanceof ServerAway || problem.status === 401 || problem.status === 503;
    const state = isBroken ? 'broken' : problem.status === 507 ? 'paused' : 'failed';
    this.show({ state, problem, ...(error instanceof RequestFailed ? { request: error.request } : {}) });
  }

  private show(part: Partial<Upload>): void {
    this.shown = { ...this.shown, ...part };
    this.changed();
  }
}

const transfers = new Map<string, Transfer>();
const listeners = new Set<() => void>();
let snapshot: readonly Upload[] = [];

function changed(): void {
  snapshot = [...transfers.values()].map(({ shown }) => shown);
  for (const listener of listeners) listener();
}

/** All uploads of this page; they live as long as it, whatever it shows. */
export const uploads = {
  start(plan: UploadPlan): void {
    const transfer = new Transfer(plan, changed);
    transfers.set(plan.key, transfer);
    changed();
    transfer.run();
  },
  pause: (key: string): void => transfers.get(key)?.pause(),
  resume(key: string): void {
    const transfer = transfers.get(key);
    if (transfer !== undefined && isHeld(transfer.shown)) transfer.run();
  },
  /** Forgets an upload that has ended, or gives one up. */
  remove(key: string): void {
    const transfer = transfers.get(key);
    if (transfer !== undefined && isUnderWay(transfer.shown)) transfer.pause();
    transfers.delete(key);
    changed();
  },
};

/** It can go on. */
const isHeld = ({ state }: Upload): boolean => state === 'paused' || state === 'broken';
/** Its files are only here yet: closing the page would end it. */
const isUnderWay = (upload: Upload): boolean => upload.state === 'sending' || isHeld(upload);

connection.subscribe(() => {
  const { isAway, isSessionOver } = connection.get();
  if (isAway || isSessionOver) return;
  for (const transfer of transfers.values()) if (transfer.shown.state === 'broken') transfer.run();
});

window.addEventListener('beforeunload', (event) => {
  if (snapshot.some(isUnderWay)) event.preventDefault();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useUploads = (): readonly Upload[] => useSyncExternalStore(subscribe, () => snapshot);

export const useUpload = (key: string): Upload | undefined => useUploads().find((upload) => upload.key === key);

/** Files that become the frames of a task. */
export const framesOf = (taskId: number): string => `frames of task ${taskId}`;
