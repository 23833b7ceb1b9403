import { ApiProperty } from '@nestjs/swagger';
import { integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';
import { pythonText } from '../../../engines/json/python-json.js';
import { sql } from '../../../engines/sql/sql.js';
import { column, from, table } from '../../../engines/sql/tables.js';

export class AuditUserDto {
  @ApiProperty() id!: number;
  @ApiProperty({ description: 'At that time' }) username!: string;
  @ApiProperty({ type: String, nullable: true, description: 'At that time' }) email!: string | null;
}

const CREDENTIAL = '`session`, `token`: the login token, `bearer`: an access token, `basic`: user name and password';

/** A change, a log-in or a rejected request. */
export class AuditRecordDto {
  @ApiProperty({ description: 'Later records have greater ids' }) id!: number;
  @ApiProperty({ format: 'date-time' }) timestamp!: string;
  @ApiProperty({
    example: 'update:job',
    description:
      '`create`, `update`, `delete`, `export` or `import` of a resource, `call:function`, `login`, `logout`, `deny:login`, `deny:access`',
  })
  action!: string;
  @ApiProperty({ type: AuditUserDto, nullable: true, description: 'Null for the command line and for failed log-ins' })
  user!: AuditUserDto | null;
  @ApiProperty({ type: Number, nullable: true }) organization_id!: number | null;
  @ApiProperty({ type: String, nullable: true }) organization_slug!: string | null;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) task_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) job_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) object_id!: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Name of the object; for failed log-ins the user name that was sent; for annotations the type of shapes',
  })
  object_name!: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Number of annotations' }) count!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'The property that an update changed' })
  field!: string | null;
  @ApiProperty({ type: String, nullable: true }) old_value!: string | null;
  @ApiProperty({ type: String, nullable: true }) new_value!: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Status of the response to a rejected request' })
  status_code!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why a request was rejected' }) message!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Address of the client' }) address!: string | null;
  @ApiProperty({ type: String, nullable: true, description: CREDENTIAL }) credential!: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Id of the access token' }) token_id!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Name of the access token' }) token_name!: string | null;
  @ApiProperty({ type: String, nullable: true }) user_agent!: string | null;
  @ApiProperty({ type: String, nullable: true, description: '`X-Request-Id` of the request' })
  request_id!: string | null;
}

export interface AuditRow {
  readonly id: number;
  readonly event_time: string;
  readonly scope: string;
  readonly obj_name: string | null;
  readonly obj_id: number | null;
  readonly obj_val: string | null;
  readonly count: number | null;
  readonly project_id: number | null;
  readonly task_id: number | null;
  readonly job_id: number | null;
  readonly user_id: number | null;
  readonly user_name: string | null;
  readonly user_email: string | null;
  readonly org_id: number | null;
  readonly org_slug: string | null;
  readonly payload: string | null;
  readonly address: string | null;
  readonly credential: string | null;
  readonly token_id: number | null;
  readonly token_name: string | null;
  readonly request_id: string | null;
}

export const AUDIT_COLUMNS = sql`id, event_time, scope, obj_name, obj_id, obj_val, count, project_id, task_id, job_id,
  user_id, user_name, user_email, org_id, org_slug, payload, address, credential, token_id, token_name, request_id`;

/** The parts of payloads that records show. */
interface Payload {
  readonly old_value?: unknown;
  readonly object?: { readonly id: number | null; readonly name: string | null };
  readonly status_code?: number;
  readonly message?: string;
  readonly request?: { readonly user_agent: string | null };
}

export function toAuditRecord(row: AuditRow): AuditRecordDto {
  const { old_value: old, object, status_code: status, message, request } = JSON.parse(row.payload ?? '{}') as Payload;
  const isUpdate = object !== undefined;
  return {
    id: row.id,
    timestamp: row.event_time,
    action: row.scope,
    user: row.user_id === null ? null : { id: row.user_id, username: row.user_name ?? '', email: row.user_email },
    organization_id: row.org_id,
    organization_slug: row.org_slug,
    project_id: row.project_id,
    task_id: row.task_id,
    job_id: row.job_id,
    object_id: isUpdate ? object.id : row.obj_id,
    object_name: isUpdate ? object.name : row.obj_name,
    count: row.count,
    field: isUpdate ? row.obj_name : null,
    old_value: isUpdate && old != null ? pythonText(old) : null,
    new_value: isUpdate && row.obj_val !== 'None' ? row.obj_val : null,
    status_code: status ?? null,
    message: message ?? null,
    address: row.address,
    credential: row.credential,
    token_id: row.token_id,
    token_name: row.token_name,
    user_agent: request?.user_agent ?? null,
    request_id: row.request_id,
  };
}

/** Columns of the CSV: those of the records, without nested objects. */
export const AUDIT_CSV = [
  'id', 'timestamp', 'action', 'user_id', 'username', 'email', 'organization_id', 'organization_slug', 'project_id',
  'task_id', 'job_id', 'object_id', 'object_name', 'count', 'field', 'old_value', 'new_value', 'status_code', 'message',
  'address', 'credential', 'token_id', 'token_name', 'user_agent', 'request_id',
] as const; // prettier-ignore

export function auditCells({ user, ...record }: AuditRecordDto): (string | number | null)[] {
  const flat = { ...record, user_id: user?.id ?? null, username: user?.username ?? null, email: user?.email ?? null };
  return AUDIT_CSV.map((name) => flat[name]);
}

/** What the audit log can be filtered, sorted and searched by. */
export const auditList: ListSpec = {
  from: from({ table: table('logged_event'), joins: [] }),
  tally: {
    table: table('logged_event_tally', 'logged_event'),
    columns: ['logged_event.org_id', 'logged_event.is_audit'],
    dates: ['logged_event.event_time'],
    count: column('logged_event.events'),
  },
  fields: {
    id: integer('logged_event.id'),
    timestamp: timestamp('logged_event.event_time'),
    action: text('logged_event.scope'),
    user: text('logged_event.user_name'),
    user_id: integer('logged_event.user_id'),
    organization_id: integer('logged_event.org_id'),
    project_id: integer('logged_event.project_id'),
    task_id: integer('logged_event.task_id'),
    job_id: integer('logged_event.job_id'),
    name: text('logged_event.obj_name'),
    value: text('logged_event.obj_val'),
    address: text('logged_event.address'),
    credential: text('logged_event.credential'),
    token_id: integer('logged_event.token_id'),
    token: text('logged_event.token_name'),
    request_id: text('logged_event.request_id'),
  },
  search: ['action', 'user', 'name', 'value', 'address', 'token'],
  simple: [
    'action', 'user', 'user_id', 'organization_id', 'project_id', 'task_id', 'job_id', 'address', 'credential', 'token_id',
    'token', 'request_id',
  ], // prettier-ignore
  sortable: ['id', 'timestamp', 'action', 'user', 'address'],
  defaultSort: '-id',
  organization: column('logged_event.org_id'),
};
