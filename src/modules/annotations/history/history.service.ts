import { Injectable } from '@nestjs/common';
import { copyOut } from '../../../core/database/copy.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import { readSnapshot } from '../../../core/database/snapshot.js';
import { Invalid, NotFound } from '../../../core/http/errors.js';
import type { WriteText } from '../../../core/http/stream-json.js';
import { ListService } from '../../../core/list/list.service.js';
import type { Page } from '../../../core/list/page.dto.js';
import type { Query } from '../../../core/list/page-request.js';
import { sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { AnnotatedTaskRepository, type Target } from '../annotated-task.repository.js';
import { changesQuery, ChangesText } from './changes.js';
import { type RevisionDto, type RevisionRow, revisionsUrl, toRevision } from './revision.dto.js';
import { partsOf, revisionColumns, revisionList, RevisionRepository, revisionsOf } from './revision.repository.js';

/** Reads the history of a job's or task's annotations. The caller has checked the permission. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly db: Db,
    private readonly revisions: RevisionRepository,
    private readonly annotated: AnnotatedTaskRepository,
    private readonly lists: ListService,
  ) {}

  list(actor: Actor, target: Target, query: Query): Promise<Page<RevisionDto>> {
    const options = {
      select: revisionColumns(partsOf(target)),
      visible: sql`true`,
      where: revisionsOf(target),
      organization: 'any',
      query,
      url: revisionsUrl(target, actor.baseUrl),
    } as const;
    return this.lists.page<RevisionRow, RevisionDto>(revisionList, options, (row) =>
      toRevision(row, target, actor.baseUrl),
    );
  }

  /** @throws NotFound if the save does not belong to these annotations, or has been deleted */
  async get(actor: Actor, target: Target, id: number): Promise<RevisionDto> {
    return toRevision(await this.find(this.db, target, id), target, actor.baseUrl);
  }

  /**
   * Writes the differences between the states after two saves as JSON text.
   * @param since compare with the state after this earlier save; null: with the state before `id`
   * @throws NotFound, Invalid
   */
  changes(target: Target, id: number, since: number | null, write: WriteText): Promise<void> {
    return readSnapshot(this.db, async (snapshot) => {
      await this.find(snapshot, target, id);
      if (since !== null) {
        await this.find(snapshot, target, since);
        if (since >= id) throw new Invalid({ since: ['Must be an earlier revision.'] });
      }
      const { jobs } = await this.annotated.of(snapshot, target);
      const text = new ChangesText();
      await write(text.begin(id, since));
      const query = changesQuery(
        jobs.map((job) => job.id),
        { from: since ?? id - 1, to: id },
      );
      for await (const lines of copyOut(snapshot.client, query)) await write(text.lines(lines));
      await write(text.end());
    });
  }

  /** @throws NotFound */
  async find(db: Queryable, target: Target, id: number): Promise<RevisionRow> {
    const row = await this.revisions.find(db, target, id);
    if (row === undefined) throw NotFound.of('Revision');
    return row;
  }
}
