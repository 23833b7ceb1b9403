import { Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import { NotFound } from '../../../core/http/errors/errors.js';
import { Urls } from '../../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../../core/list/list.service.js';
import type { Page, Query } from '../../../core/list/page-request.js';
import { and, type Sql, sql } from '../../../engines/sql/sql.js';
import { column } from '../../../engines/sql/tables.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { inOrganizationOf, qualityPolicy, type QualityTarget } from '../../../shared/policy/quality.policy.js';
import {
  doesNotExist,
  idParameter,
  namedObjects,
  OBJECT_KINDS,
  QualityTargets,
  wordParameter,
} from '../quality-targets.js';
import {
  type QualityReportDto,
  type QualityReportRow,
  REPORT_COLUMNS,
  qualityReportList,
  toReport,
} from './quality-report.dto.js';
import { annotatorsOf, type QualityAnnotatorDto } from './report-annotators.js';
import { isPartOf, isReportOf, QualityReportRepository, type StoredDocument } from './quality-report.repository.js';

/** Reads quality reports. */
@Injectable()
export class QualityReportService {
  constructor(
    private readonly db: Db,
    private readonly rows: QualityReportRepository,
    private readonly targets: QualityTargets,
    private readonly lists: ListService,
  ) {}

  /** A list of the reports of one object is judged in the organization of the object. */
  async list(actor: Actor, query: Query): Promise<Page<QualityReportDto>> {
    const named = namedObjects(query);
    const parentId = idParameter(query, 'parent_id');
    const target = wordParameter(query, 'target', OBJECT_KINDS);
    let reader = actor;
    for (const object of named)
      reader = inOrganizationOf(actor, await this.targets.requireView(this.db, actor, object));
    if (parentId !== undefined && (await this.rows.find(this.db, parentId)) === undefined) {
      throw doesNotExist('Quality report', parentId);
    }
    const conditions: Sql[] = [
      ...named.map(isReportOf),
      ...(parentId === undefined ? [] : [isPartOf(parentId)]),
      ...(target === undefined ? [] : [sql`${column(`quality_report.${target}_id`)} is not null`]),
    ];
    const urls = new Urls(actor.baseUrl);
    const options = {
      select: REPORT_COLUMNS,
      visible: qualityPolicy.visible(reader),
      organization: listOrganization(reader),
      query,
      url: `${actor.baseUrl}/api/quality/reports`,
      where: and(conditions),
    };
    return this.lists.page<QualityReportRow, QualityReportDto>(qualityReportList, options, (row) =>
      toReport(row, urls),
    );
  }

  async get(actor: Actor, id: number): Promise<QualityReportDto> {
    const row = await this.rows.find(this.db, id);
    if (row === undefined) throw NotFound.of('QualityReport');
    await this.requireView(this.db, actor, row);
    return toReport(row, new Urls(actor.baseUrl));
  }

  /** @throws NotFound, Forbidden */
  async annotators(actor: Actor, id: number): Promise<QualityAnnotatorDto[]> {
    await this.get(actor, id);
    return annotatorsOf(this.db, id, new Urls(actor.baseUrl));
  }

  /** @throws NotFound, Forbidden */
  async document(actor: Actor, id: number): Promise<StoredDocument> {
    await this.get(actor, id);
    const row = await this.rows.document(this.db, id);
    if (row === undefined) throw NotFound.of('QualityReport');
    return row;
  }

  /** @returns the target. @throws NotFound, Forbidden */
  async requireView(db: Queryable, actor: Actor, row: QualityReportRow): Promise<QualityTarget> {
    const target = await this.targets.find(
      db,
      actor,
      row.task_id === null ? { kind: 'project', id: row.project_id ?? 0 } : { kind: 'task', id: row.task_id },
    );
    if (target === undefined) throw NotFound.of('QualityReport');
    requireAll(qualityPolicy, ['view'], actor, target);
    return target;
  }
}
