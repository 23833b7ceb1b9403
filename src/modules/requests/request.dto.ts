import { ApiProperty, OmitType } from '@nestjs/swagger';
import { FRACTION } from '../../core/http/body/fields.js';
import { integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { ImportReportDto, REPORT_DEFAULTS } from './import-report.dto.js';
import type { Representation, WireObject } from '../../core/versioning/representations.js';
import { raw, sql } from '../../engines/sql/sql.js';

/** The subject of a background request. Its id is derived from it, so repeating an operation gives the same id. */
interface RequestIdentity {
  readonly action: string;
  readonly target: string;
  readonly targetId?: number;
  /** For operations whose target does not exist yet. */
  readonly id?: string;
  /** Part of the ids of private operations. */
  readonly userId?: number;
  readonly format?: string;
  readonly subresource?: string;
}

/** The id in the API: `action=export&target=task&target_id=5&user_id=1&format=COCO_1~0&subresource=dataset`. */
export function requestIdOf(identity: RequestIdentity): string {
  const pairs: [string, string | number | undefined][] = [
    ['action', identity.action],
    ['target', identity.target],
    ['target_id', identity.targetId],
    ['id', identity.id],
    ['user_id', identity.userId],
    ['format', identity.format],
    ['subresource', identity.subresource],
  ];
  return pairs
    .filter(([, value]) => value !== undefined && value !== '' && value !== 0)
    .map(([key, value]) => `${key}=${String(value).replaceAll('.', '~').replaceAll(' ', '_')}`)
    .join('&');
}

/** Returns whether the id is that of a private operation. */
export const namesUser = (id: string): boolean => /(^|&)user_id=/.test(id);

/** The format of ids in older servers, such as `export:task-5-dataset-in-COCO@1@0-format-by-1`. */
const OLDER_IDS = [
  /^(?<action>create):(?<target>task)-(?<targetId>\d{1,10})$/,
  /^(?<action>import):(?<target>project|task|job)-(?<targetId>\d{1,10})-(?<subresource>annotations|dataset)$/,
  /^(?<action>import):(?<target>project|task)-(?<id>[0-9a-f-]{36})-(?<subresource>backup)$/,
  /^(?<action>export):(?<target>project|task|job)-(?<targetId>\d{1,10})-(?<subresource>annotations|dataset)-in-(?<format>[^&=]{1,100})-format-by-(?<userId>\d{1,10})$/,
  /^(?<action>export):(?<target>project|task)-(?<targetId>\d{1,10})-(?<subresource>backup)-by-(?<userId>\d{1,10})$/,
];

/** Converts an id in the older format to the current one; other texts stay unchanged. */
export function currentRequestId(id: string): string {
  const older = OLDER_IDS.map((pattern) => pattern.exec(id)?.groups).find((groups) => groups !== undefined);
  if (older === undefined) return id;
  const { action = '', target = '', targetId, userId, format, ...others } = older;
  return requestIdOf({
    ...others,
    action,
    target,
    ...(targetId === undefined ? {} : { targetId: Number(targetId) }),
    ...(userId === undefined ? {} : { userId: Number(userId) }),
    ...(format === undefined ? {} : { format: formatOf(format) }),
  });
}

/** In older ids `@` stands for a dot or a space. Format names have a dot only in the version at the end. */
const formatOf = (text: string): string => text.replace(/(\d)@(\d+)$/, '$1.$2').replaceAll('@', ' ');

export const REQUEST_STATUSES = ['queued', 'started', 'failed', 'finished'] as const;

export class RequestOperationDto {
  @ApiProperty({ example: 'create:task' }) type!: string;
  @ApiProperty({ enum: ['project', 'task', 'job', 'events'] }) target!: string;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) task_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) job_id!: number | null;
  @ApiProperty({ type: String, nullable: true }) format!: string | null;
}

export class RequestOwnerDto {
  @ApiProperty() id!: number;
  @ApiProperty() username!: string;
}

/** The outcome of a computation of quality, for the filters of webhooks. */
export class QualityOutcomeDto {
  @ApiProperty() report_id!: number;
  @ApiProperty({ enum: ['job', 'task', 'project'] }) target!: 'job' | 'task' | 'project';
  @ApiProperty({ enum: ['accuracy', 'precision', 'recall'] }) target_metric!: string;
  @ApiProperty({ ...FRACTION, minimum: 0, maximum: 1 }) target_metric_threshold!: number;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Of the target metric; null if no frame was compared' })
  value!: number | null;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the value reaches the threshold; null if no frame was compared',
  })
  passed!: boolean | null;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The summary of the report' })
  summary!: object;
}

export class RequestDto {
  @ApiProperty({ enum: REQUEST_STATUSES }) status!: string;
  @ApiProperty({ description: 'The current step, or the reason of a failure (ends with a newline)' })
  message!: string;
  @ApiProperty({ example: 'action=create&target=task&target_id=5' }) id!: string;
  @ApiProperty({ type: RequestOperationDto }) operation!: RequestOperationDto;
  @ApiProperty({ ...FRACTION, minimum: 0, maximum: 1, description: 'While started; otherwise 0' }) progress!: number;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) started_date!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finished_date!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The request is deleted after this time',
  })
  expiry_date!: string | null;
  @ApiProperty({ type: RequestOwnerDto, nullable: true }) owner!: RequestOwnerDto | null;
  @ApiProperty({ type: String, format: 'uri', nullable: true }) result_url!: string | null;
  @ApiProperty({ type: Number, nullable: true }) result_id!: number | null;
  @ApiProperty({ type: ImportReportDto, nullable: true, description: 'Imports and restored backups' })
  report!: ImportReportDto | null;
  @ApiProperty({ type: QualityOutcomeDto, nullable: true, description: 'Computations of quality' })
  quality!: QualityOutcomeDto | null;
}

const NEWER = ['report', 'quality'] as const;

/** A request before version 2.2. */
export class Request21Dto extends OmitType(RequestDto, NEWER) {}

const withoutOutcome = (request: WireObject): WireObject =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !NEWER.some((newer) => newer === name)));

/** Version 2.2 adds reports of imports and the outcomes of computations of quality. */
export const requestVersions: Representation = {
  resource: 'request',
  older: { '2.0': withoutOutcome, '2.1': withoutOutcome },
};

export interface RequestRow {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly status: string;
  readonly message: string;
  readonly progress: number;
  readonly project_id: number | null;
  readonly task_id: number | null;
  readonly job_id: number | null;
  readonly format: string | null;
  readonly subresource: string | null;
  readonly owner_id: number | null;
  readonly owner_username: string | null;
  readonly result_file: string | null;
  readonly result_id: number | null;
  /** Of an import, or of a computation of quality. */
  readonly report: ImportReportDto | QualityOutcomeDto | null;
  readonly created_date: string;
  readonly started_date: string | null;
  readonly finished_date: string | null;
  readonly expiry_date: string | null;
}

/** @param baseUrl of the reader */
export function toRequest(row: RequestRow, baseUrl: string): RequestDto {
  return {
    status: row.status,
    message: row.message,
    id: row.id,
    operation: {
      type: row.type,
      target: row.target,
      project_id: row.project_id,
      task_id: row.task_id,
      job_id: row.job_id,
      format: row.format,
    },
    // The contract shows no progress for ended requests.
    progress: row.status === 'started' ? row.progress : 0,
    created_date: row.created_date,
    started_date: row.started_date,
    finished_date: row.finished_date,
    expiry_date: row.expiry_date,
    owner: row.owner_id === null ? null : { id: row.owner_id, username: row.owner_username ?? '' },
    result_url: row.result_file === null ? null : resultUrl(row, baseUrl),
    result_id: row.result_id,
    report: isQuality(row.report) || row.report === null ? null : { ...REPORT_DEFAULTS, ...row.report },
    quality: isQuality(row.report) ? row.report : null,
  };
}

const isQuality = (report: RequestRow['report']): report is QualityOutcomeDto =>
  report !== null && 'target_metric' in report;

/** The URL of the file of a finished export. */
function resultUrl(row: RequestRow, baseUrl: string): string {
  if (row.target === 'events') return `${baseUrl}/api/events/download?rq_id=${encodeURIComponent(row.id)}`;
  const targetId = row.job_id ?? row.task_id ?? row.project_id;
  const part = row.subresource === 'backup' ? 'backup' : 'dataset';
  return `${baseUrl}/api/${row.target}s/${targetId}/${part}/download?rq_id=${encodeURIComponent(row.id)}`;
}

export const REQUEST_FROM = sql`background_request left join app_user owner on owner.id = background_request.owner_id`;

const FIELDS = {
  status: text('background_request.status'),
  project_id: integer('background_request.project_id'),
  task_id: integer('background_request.task_id'),
  job_id: integer('background_request.job_id'),
  action: text(sql`split_part(background_request.type, ':', 1)`),
  target: text('background_request.target'),
  subresource: text('background_request.subresource'),
  format: text('background_request.format'),
};

export const requestList: ListSpec = {
  from: REQUEST_FROM,
  fields: { ...FIELDS, created_date: timestamp('background_request.created_date') },
  dialect: 'requests',
  search: [],
  simple: Object.keys(FIELDS),
  sortable: ['created_date', 'status', 'action'],
  defaultSort: '-created_date',
  key: raw('background_request.row_id'),
  organization: sql`background_request.organization_id`,
};
