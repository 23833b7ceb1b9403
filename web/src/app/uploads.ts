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

/** Files on their way into a task. */
export interface TaskUpload {
  readonly taskId: number;
  readonly title: string;
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
const FILES_AT_A_TIME = 3;

/** Sends the files of one task. What it has reached survives pauses, broken connections and ended sessions. */
class Transfer {
  shown: TaskUpload;
  private readonly items: readonly Item[];
  private abort = new AbortController();
  private isRunning = false;

  constructor(
    taskId: number,
    title: string,
    files: readonly UploadFile[],
    private readonly parameters: DataParameters,
    private readonly changed: () => void,
  ) {
    this.items = files.map((file) => ({ file, progress: noProgress() }));
    const totalBytes = files.reduce((sum, { data }) => sum + data.size, 0);
    this.shown = {
      taskId,
      title,
      state: 'sending',
      files: files.length,
      totalBytes,
      sentBytes: 0,
      request: null,
      problem: null,
    };
  }

  /** Begins, or goes on from where the server is. */
  async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    this.abort = new AbortController();
    this.show({ state: 'sending', problem: null });
    try {
      const id = await this.send(this.abort.signal);
      this.show({ state: 'processing' });
      await waitForRequest(api, id, { intervalMs: 1000, onProgress: (request) => this.show({ request }) });
      this.show({ state: 'done' });
    } catch (error) {
      this.note(error);
    } finally {
      this.isRunning = false;
    }
  }

  pause(): void {
    this.abort.abort();
    this.show({ state: 'paused' });
  }

  private async send(signal: AbortSignal): Promise<string> {
    const path = `/api/tasks/${this.shown.taskId}/data/`;
    await api.send(path, { method: 'POST', headers: { 'Upload-Start': 'true' }, signal });
    const waiting = this.items.filter(({ progress }) => !progress.isComplete);
    await Promise.all(Array.from({ length: FILES_AT_A_TIME }, () => this.sendOneByOne(path, waiting, signal)));
    return this.finish(path, signal);
  }

  private async sendOneByOne(path: string, waiting: Item[], signal: AbortSignal): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const onProgress = (): void => this.show({ sentBytes: this.sentBytes });
      await sendResumably(api, path, item.file, item.progress, { pieceBytes: PIECE_BYTES, signal, onProgress });
      onProgress();
    }
  }

  /** @returns id of the request that processes the files; it may have been made before the connection broke */
  private async finish(path: string, signal: AbortSignal): Promise<string> {
    try {
      const headers = { 'Upload-Finish': 'true', 'Content-Type': 'application/json' };
      const answer = await api.send(path, { method: 'POST', headers, body: JSON.stringify(this.parameters), signal });
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
    if (this.abort.signal.aborted) return; // paused
    const problem = explain(error);
    const isBroken = error instanceof ServerAway || problem.status === 401 || problem.status === 503;
    const state = isBroken ? 'broken' : problem.status === 507 ? 'paused' : 'failed';
    this.show({ state, problem, ...(error instanceof RequestFailed ? { request: error.request } : {}) });
  }

  private show(part: Partial<TaskUpload>): void {
    this.shown = { ...this.shown, ...part };
    this.changed();
  }
}

const transfers = new Map<number, Transfer>();
const listeners = new Set<() => void>();
let snapshot: readonly TaskUpload[] = [];

function changed(): void {
  snapshot = [...transfers.values()].map(({ shown }) => shown);
  for (const listener of listeners) listener();
}

/** All uploads of this page; they live as long as it, whatever it shows. */
export const uploads = {
  start(taskId: number, title: string, files: readonly UploadFile[], parameters: DataParameters): void {
    const transfer = new Transfer(taskId, title, files, parameters, changed);
    transfers.set(taskId, transfer);
    changed();
    void transfer.run();
  },
  pause: (taskId: number): void => transfers.get(taskId)?.pause(),
  resume: (taskId: number): void => void transfers.get(taskId)?.run(),
  /** Forgets an upload that has ended, or gives one up. */
  remove(taskId: number): void {
    const transfer = transfers.get(taskId);
    if (transfer !== undefined && isUnderWay(transfer.shown)) transfer.pause();
    transfers.delete(taskId);
    changed();
  },
};

const isUnderWay = ({ state }: TaskUpload): boolean => state === 'sending' || state === 'paused' || state === 'broken';

connection.subscribe(() => {
  const { isAway, isSessionOver } = connection.get();
  if (isAway || isSessionOver) return;
  for (const transfer of transfers.values()) if (transfer.shown.state === 'broken') void transfer.run();
});

window.addEventListener('beforeunload', (event) => {
  if (snapshot.some(isUnderWay)) event.preventDefault();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useUploads = (): readonly TaskUpload[] => useSyncExternalStore(subscribe, () => snapshot);

export const useUpload = (taskId: number): TaskUpload | undefined =>
  useUploads().find((upload) => upload.taskId === taskId);
