import { unwrap } from 'cairn-client';
import type { Conflict } from '#shared/annotations/editing/document';
import { api, ANYWHERE, type BasicUser, type Revision } from '../../../app/api';
import { counted } from '../../../components/counted';
import { NOTICE_MS } from '../../../components/notify';
import { displayName } from '../../../components/person';

/** The number of saves that are looked at. */
const MAX_REVISIONS = 20;
export const YOU_ELSEWHERE = 'you (in another window)';
const KINDS = ['tags', 'shapes', 'tracks'] as const;

/** What other users, and other windows of this user, have saved in a job while it is open here. */
export class Others {
  /** The last save that is merged; undefined until it is known. */
  private seen: number | undefined;
  /** The save before those that the last description covers, and when it was given. */
  private described = { after: 0, at: -Infinity };

  constructor(
    private readonly jobId: number,
    private readonly userId: number,
  ) {}

  /** Records that this page has everything up to a save. */
  noteSeen(revision: number): void {
    this.seen = Math.max(this.seen ?? 0, revision);
  }

  /**
   * Describes the saves since the last one that was seen, such as "Ann Lee saved: 2 objects created, 1 object changed."
   * As one save of the editor is up to three saves for the server, it repeats what it has described in the last seconds.
   * @returns undefined if there is none
   */
  async describe(): Promise<string | undefined> {
    const { seen } = this;
    if (seen === undefined) return 'Somebody else has saved annotations. They are merged with yours.';
    const isRecent = performance.now() - this.described.at < NOTICE_MS;
    const after = isRecent ? this.described.after : seen;
    const since = await this.read(after);
    const newest = since[0]?.id ?? seen;
    if (newest === seen) return undefined;
    this.noteSeen(newest);
    this.described = { after, at: performance.now() };
    const others = since.filter(({ author }) => author?.id !== this.userId);
    const saves = others.length > 0 ? others : since;
    const names = [...new Set(saves.map(({ author }) => this.nameOf(author)))];
    const sum = (change: 'created' | 'updated' | 'deleted'): number =>
      saves.reduce((total, { counts }) => total + KINDS.reduce((all, kind) => all + counts[change][kind], 0), 0);
    const [created, updated, deleted] = [sum('created'), sum('updated'), sum('deleted')];
    const parts = [
      ...(created > 0 ? [`${counted(created, 'object')} created`] : []),
      ...(updated > 0 ? [`${counted(updated, 'object')} changed`] : []),
      ...(deleted > 0 ? [`${counted(deleted, 'object')} deleted`] : []),
    ];
    const who = listed(names).replace(/^you /, 'You ');
    return `${who} saved: ${parts.length === 0 ? 'nothing changed' : parts.join(', ')}.`;
  }

  /** @returns who changed the objects last, by the keys of the conflicts. Objects whose author is not found are left out */
  async authorsOf(
    conflicts: readonly Conflict[],
    idOf: (key: string) => number | undefined,
  ): Promise<ReadonlyMap<string, string>> {
    const wanted = new Map(
      conflicts.flatMap(({ key, mine, theirs }) => {
        const kind = (theirs ?? mine)?.kind;
        const id = idOf(key) ?? Number(/:(\d+)$/.exec(key)?.[1]);
        return kind === undefined || Number.isNaN(id) ? [] : [[`${kind}s ${id}`, key] as const];
      }),
    );
    const found = new Map<string, string>();
    for (const revision of await this.read(0)) {
      if (wanted.size === 0) break;
      const path = { id: this.jobId, revision: revision.id };
      const response = await api.GET('/api/jobs/{id}/annotations/revisions/{revision}/changes', {
        params: { path },
        headers: ANYWHERE,
      });
      const { updated, deleted } = unwrap(response);
      for (const kind of KINDS) {
        for (const { id } of [...updated[kind], ...deleted[kind]]) {
          const key = wanted.get(`${kind} ${id}`);
          if (key === undefined) continue;
          wanted.delete(`${kind} ${id}`);
          found.set(key, this.nameOf(revision.author));
        }
      }
    }
    return found;
  }

  /** The saves after a revision, newest first. */
  private async read(after: number): Promise<Revision[]> {
    const query = {
      filter: JSON.stringify({ '>': [{ var: 'id' }, after] }),
      sort: '-id',
      page_size: String(MAX_REVISIONS),
    };
    const response = await api.GET('/api/jobs/{id}/annotations/revisions', {
      params: { path: { id: this.jobId }, query: query as never },
      headers: ANYWHERE,
    });
    return unwrap(response).results;
  }

  private nameOf(author: BasicUser | null): string {
    if (author === null) return 'A deleted user';
    return author.id === this.userId ? YOU_ELSEWHERE : displayName(author);
  }
}

/** @returns names as in a sentence: "A", "A and B", "A, B and C" */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
