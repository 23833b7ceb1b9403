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
import { api, ServerUnavailable } from './api';
import { connection } from './connection';
import { explain, type Problem } from './problems';
import { OtherUser } from './session-owner';

/**
 * `paused` by the user or because the disk is full; `broken` while the server cannot be reached or the session has
 * expired, resumes automatically; `processing` by the server.
 */
export type UploadState = 'sending' | 'paused' | 'broken' | 'processing' | 'done' | 'failed';

/** The files to upload, and their destination. */
export interface UploadPlan {
  /** Identifies the upload by object and purpose. */
  readonly key: string;
  readonly title: string;
  /** The page that shows the result. */
  readonly page: string;
  /**
   * `frames` of a new task, whose page shows the upload; `import` into an existing object; `check` of such a file, which
   * the import dialog shows; `restore` of a backup.
   */
  readonly purpose: 'frames' | 'import' | 'check' | 'restore';
  /** Path of the upload endpoint, with a trailing slash. */
  readonly collection: string;
  readonly files: readonly UploadFile[];
  /** Parameters of the final request. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: DataParameters;
}

/** An upload and its progress. */
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

/** Uploads the files of one plan. It can resume after pauses, lost connections and expired sessions. */
class Transfer {
  shown: Upload;
  private readonly items: readonly Item[];
  private readonly pace = { bytes: FIRST_PIECE_BYTES };
  private abort = new AbortController();
  /** The attempts so far. The next one waits until the previous one has released its files. */
  private attempts: Promise<void> = Promise.resolve();
  /** Whether files of an earlier, cancelled upload for the same purpose have been removed. */
  private isClean: boolean;
  /** ID of the background request that processes the files. */
  private requestId: string | undefined;

  constructor(
    private plan: UploadPlan,
    private readonly changed: () => void,
  ) {
    const { key, title, page, purpose, files } = plan;
    this.isClean = purpose !== 'frames';
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

  /** Asks for the last step again with other parameters. The server has kept the files. */
  repeat(query: Readonly<Record<string, string>>): void {
    this.plan = { ...this.plan, query: { ...this.plan.query, ...query } };
    this.requestId = undefined;
    this.show({ request: null });
    this.run();
  }

  /** Starts or resumes at the server's offset. */
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
    if (!this.isClean) await api.send(`${collection}uploads`, { method: 'DELETE', signal });
    this.isClean = true;
    await api.send(collection, { method: 'POST', headers: { 'Upload-Start': 'true' }, signal });
    const waiting = this.items.filter(({ progress }) => !progress.isComplete);
    const rest = new AbortController(); // after one failure, stop the others before retrying
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

  /** @returns ID of the request that processes the files, which may have been created before the connection was lost */
  private async finish(signal: AbortSignal): Promise<string> {
    const { collection, query, body = {} } = this.plan;
    try {
      const headers = { 'Upload-Finish': 'true', 'Content-Type': 'application/json' };
      const path = query === undefined ? collection : `${collection}?${new URLSearchParams(query).toString()}`;
      const response = await api.send(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
      return ((await response.json()) as { rq_id: string }).rq_id;
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
    const isBroken =
      error instanceof ServerUnavailable || error instanceof OtherUser || [401, 503].includes(problem.status ?? 0);
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

/** All uploads. They continue on every page of the app until the tab is closed. */
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
    if (transfer !== undefined && isResumable(transfer.shown)) transfer.run();
  },
  /** Repeats the last step of a failed upload. @param query parameters to change */
  repeat(key: string, query: Readonly<Record<string, string>>): void {
    const transfer = transfers.get(key);
    if (transfer?.shown.state === 'failed') transfer.repeat(query);
  },
  /** Removes a finished upload, or cancels one. */
  remove(key: string): void {
    const transfer = transfers.get(key);
    if (transfer !== undefined && isUploading(transfer.shown)) transfer.pause();
    transfers.delete(key);
    changed();
  },
};

/** Whether it can resume. */
const isResumable = ({ state }: Upload): boolean => state === 'paused' || state === 'broken';
/** Whether closing the tab would cancel it. */
const isUploading = (upload: Upload): boolean => upload.state === 'sending' || isResumable(upload);

connection.subscribe(() => {
  const { isAway, isSessionOver } = connection.get();
  if (isAway || isSessionOver) return;
  for (const transfer of transfers.values()) if (transfer.shown.state === 'broken') transfer.run();
});

window.addEventListener('beforeunload', (event) => {
  if (snapshot.some(isUploading)) event.preventDefault();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useUploads = (): readonly Upload[] => useSyncExternalStore(subscribe, () => snapshot);

export const useUpload = (key: string): Upload | undefined => useUploads().find((upload) => upload.key === key);

/** @returns the key of the upload for a task's frames */
export const framesOf = (taskId: number): string => `frames of task ${taskId}`;
