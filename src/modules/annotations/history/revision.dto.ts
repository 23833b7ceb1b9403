import { ApiProperty, type ApiQueryOptions } from '@nestjs/swagger';
import { BasicUserDto } from '../../../core/http/response/basic-user.dto.js';
import { Urls } from '../../../core/http/response/urls.js';
import { readBasicUser } from '../../users/index.js';
import type { Target } from '../annotated-task.repository.js';
import { noObjects, OBJECT_KINDS, REVISION_ACTIONS } from './pending-revision.js';

export const HISTORY_PARAMETERS: Readonly<Record<'state' | 'since', ApiQueryOptions>> = {
  state: {
    name: 'state',
    required: false,
    enum: ['after', 'before'],
    description: 'Whether the state is that before or after the save. Default: after',
  },
  since: {
    name: 'since',
    required: false,
    type: 'integer',
    description:
      'An earlier revision: compares the states after both. Without it: the states before and after this one',
  },
};

/** Numbers of objects. Elements of skeletons and keyframes are not counted separately. */
export class ObjectCountsDto {
  @ApiProperty() tags!: number;
  @ApiProperty() shapes!: number;
  @ApiProperty() tracks!: number;
  @ApiProperty() intervals!: number;
}

export class RevisionCountsDto {
  @ApiProperty({ type: ObjectCountsDto }) created!: ObjectCountsDto;
  @ApiProperty({ type: ObjectCountsDto }) updated!: ObjectCountsDto;
  @ApiProperty({ type: ObjectCountsDto }) deleted!: ObjectCountsDto;
}

export class RestoredDto {
  @ApiProperty() revision!: number;
  @ApiProperty({ enum: ['before', 'after'] }) state!: 'before' | 'after';
}

/** One save of annotations. */
export class RevisionDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty({ description: 'Later saves have greater ids' }) id!: number;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty() task_id!: number;
  @ApiProperty({ type: [Number], description: 'The jobs that it changed; in the history of a job, only this job' })
  job_ids!: number[];
  @ApiProperty({
    enum: REVISION_ACTIONS,
    description:
      'replace: PUT; clear: DELETE; import: a file replaced or was added to the annotations; merge: replicas were ' +
      'merged; labels: labels were deleted',
  })
  action!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true }) author!: BasicUserDto | null;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ type: RestoredDto, nullable: true, description: 'Only for restorations: the state that was restored' })
  restored!: RestoredDto | null;
  @ApiProperty({ type: RevisionCountsDto }) counts!: RevisionCountsDto;
}

export class ChangedObjectDto {
  @ApiProperty() id!: number;
  @ApiProperty({ description: 'Number in the task; for an interval its first frame' }) frame!: number;
  @ApiProperty() job_id!: number;
}

export class UpdatedObjectDto extends ChangedObjectDto {
  @ApiProperty({ type: [String], description: 'Names of the fields that differ; empty if none does' })
  fields!: string[];
}

export class ChangedObjectsDto {
  @ApiProperty({ type: [ChangedObjectDto] }) tags!: ChangedObjectDto[];
  @ApiProperty({ type: [ChangedObjectDto] }) shapes!: ChangedObjectDto[];
  @ApiProperty({ type: [ChangedObjectDto] }) tracks!: ChangedObjectDto[];
  @ApiProperty({ type: [ChangedObjectDto] }) intervals!: ChangedObjectDto[];
}

export class UpdatedObjectsDto {
  @ApiProperty({ type: [UpdatedObjectDto] }) tags!: UpdatedObjectDto[];
  @ApiProperty({ type: [UpdatedObjectDto] }) shapes!: UpdatedObjectDto[];
  @ApiProperty({ type: [UpdatedObjectDto] }) tracks!: UpdatedObjectDto[];
  @ApiProperty({ type: [UpdatedObjectDto] }) intervals!: UpdatedObjectDto[];
}

/** The differences between two states. */
export class RevisionChangesDto {
  @ApiProperty() revision!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The comparison starts after this revision. Null: before `revision`',
  })
  since!: number | null;
  @ApiProperty({ type: ChangedObjectsDto }) created!: ChangedObjectsDto;
  @ApiProperty({ type: UpdatedObjectsDto }) updated!: UpdatedObjectsDto;
  @ApiProperty({ type: ChangedObjectsDto }) deleted!: ChangedObjectsDto;
}

export class SavedChangesDto {
  @ApiProperty({ type: ChangedObjectsDto }) created!: ChangedObjectsDto;
  @ApiProperty({ type: ChangedObjectsDto }) updated!: ChangedObjectsDto;
  @ApiProperty({ type: ChangedObjectsDto }) deleted!: ChangedObjectsDto;
}

/** The payload of the `update:annotations` event. */
export class SavedAnnotationsDto extends RevisionDto {
  @ApiProperty({
    type: SavedChangesDto,
    nullable: true,
    description: 'null if the save touched more than 1000 objects',
  })
  changes!: SavedChangesDto | null;
  @ApiProperty({ format: 'uri', description: 'URL of the complete list' }) changes_url!: string;
}

/** The counts as stored. */
export type RevisionCounts = RevisionCountsDto;

export interface RevisionRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly task_id: number;
  readonly action: string;
  readonly restored_id: number | null;
  readonly restored_state: 'before' | 'after' | null;
  readonly created_date: string;
  readonly parts: readonly { readonly job_id: number; readonly counts: RevisionCounts }[];
}

/** A save in the history of a job or task. */
export const toRevision = (row: RevisionRow, target: Target, baseUrl: string): RevisionDto => ({
  url: `${revisionsUrl(target, baseUrl)}/${row.id}`,
  id: row.id,
  project_id: row.project_id,
  task_id: row.task_id,
  job_ids: row.parts.map((part) => part.job_id),
  action: row.action,
  author: readBasicUser(row, 'author', new Urls(baseUrl)),
  created_date: row.created_date,
  restored: row.restored_id === null ? null : { revision: row.restored_id, state: row.restored_state ?? 'after' },
  counts: sumOfCounts(row.parts.map((part) => part.counts)),
});

export const revisionsUrl = ({ kind, id }: Target, baseUrl: string): string =>
  `${baseUrl}/api/${kind}s/${id}/annotations/revisions`;

export const noChanges = (): RevisionCounts => ({
  created: noObjects(),
  updated: noObjects(),
  deleted: noObjects(),
});

export function sumOfCounts(parts: readonly RevisionCounts[]): RevisionCounts {
  const sum = noChanges();
  for (const part of parts) {
    for (const change of ['created', 'updated', 'deleted'] as const) {
      for (const kind of OBJECT_KINDS) sum[change][kind] += part[change][kind];
    }
  }
  return sum;
}
