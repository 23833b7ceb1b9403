import { Injectable } from '@nestjs/common';
import { findOrganizationFacts } from '../../../core/access/organization-context.js';
import { requireAll } from '../../../core/access/require.js';
import type { Tx } from '../../../core/database/tx.js';
import { BackupAnnotations } from '../../../engines/annotations/formats/backup-annotations.js';
import { FormatError } from '../../../engines/annotations/formats/format.js';
import type { ImportNotes } from '../../../engines/annotations/formats/import-notes.js';
import { LabelNames } from '../../../engines/annotations/formats/label-names.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import type { Actor, OrganizationFacts } from '../../../shared/policy/actor.js';
import { projectPolicy } from '../../../shared/policy/project.policy.js';
import { taskPolicy } from '../../../shared/policy/task.policy.js';
import { AnnotationService } from '../../annotations/index.js';
import { GuideBackup } from '../../guides/index.js';
import { MediaRestoration, type RestoredMedia } from '../../media/index.js';
import { ProjectCreation } from '../../projects/index.js';
import {
  HandlesRequests,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  stillPermitted,
} from '../../requests/index.js';
import { TaskCreation } from '../../tasks/index.js';
import { DatasetLoader } from '../dataset/dataset.loader.js';
import type { IncomingFile } from '../import/import-files.js';
import { type Attempt, IMPORT_TTL_MS, ImportAttempts, stoppable } from '../import/import-attempts.js';
import { type AnnotationsFile, BackupArchive, restoredTask, sizeOf, type TaskPart } from './backup-archive.js';
import { ImportReport } from '../import/import-report.js';

export const IMPORT_BACKUP = 'import:backup';

/** The parameters of the background request. */
export interface RestoreParameters extends IncomingFile {
  readonly kind: 'project' | 'task';
  readonly organizationId: number | null;
}

/** @throws Forbidden */
export function requireRestore(
  actor: Actor,
  kind: RestoreParameters['kind'],
  organization: OrganizationFacts | null,
): void {
  const facts = { ownerId: actor.id, assigneeId: null, organization };
  if (kind === 'project') requireAll(projectPolicy, ['import:backup'], actor, facts);
  else requireAll(taskPolicy, ['import:backup'], actor, { ...facts, project: null });
}

/** A task to create, with its media in place. */
interface Prepared {
  readonly part: TaskPart;
  readonly media: RestoredMedia;
}

/** What follows the restoration of annotations. */
interface Watched {
  /** Counts them. */
  readonly notes: ImportNotes;
  readonly signal: AbortSignal;
}

/** @returns the same batches, which are counted */
async function* counted(batches: AsyncIterable<LabeledData>, notes: ImportNotes): AsyncGenerator<LabeledData> {
  for await (const batch of batches) {
    notes.count(batch);
    yield batch;
  }
}

/** Creates the tasks of a backup. */
@Injectable()
export class TaskRestoration {
  constructor(
    private readonly loader: DatasetLoader,
    private readonly tasks: TaskCreation,
    private readonly media: MediaRestoration,
    private readonly annotations: AnnotationService,
    private readonly guides: GuideBackup,
  ) {}

  /** Stores the media of tasks, before the transaction that creates them. */
  async prepare(
    request: RequestContext,
    archive: BackupArchive,
    parts: readonly TaskPart[],
    reserve: Attempt['reserve'],
  ): Promise<Prepared[]> {
    request.setMessage('Media files are being extracted...');
    const prepared: Prepared[] = [];
    for (const part of parts) {
      const { data } = part.task;
      const files = archive.media(part);
      if (files.length === 0) throw new FormatError(`The backup contains no media: ${part.prefix}data is empty.`);
      const media = await this.media.prepare(
        await reserve(),
        {
          files,
          size: sizeOf(part.task),
          startFrame: data.start_frame ?? 0,
          stopFrame: data.stop_frame ?? 0,
          frameFilter: data.frame_filter ?? '',
          chunkType: data.chunk_type ?? 'imageset',
        },
        {
          signal: request.signal,
          onProgress: (done) => request.setProgress((prepared.length + done) / parts.length),
        },
      );
      prepared.push({ part, media });
    }
    return prepared;
  }

  /** Creates a task with its jobs, guide and annotations. @returns its id */
  async create(
    tx: Tx,
    actor: Actor,
    {
      archive,
      part,
      media,
      projectId,
      organizationId,
    }: Prepared & {
      readonly archive: BackupArchive;
      readonly projectId: number | null;
      readonly organizationId: number | null;
    },
    watched: Watched,
  ): Promise<number> {
    const {
      name,
      bug_tracker: bugTracker = '',
      subset = '',
      consensus_replicas: replicas = 0,
      labels = [],
    } = part.task;
    if (projectId === null && labels.length === 0)
      throw new FormatError(`${part.prefix}task.json: there are no labels`);
    const { id } = await this.tasks.add(
      tx,
      actor,
      {
        name,
        bug_tracker: bugTracker,
        subset,
        consensus_replicas: replicas,
        ...(projectId === null ? { labels } : { project_id: projectId }),
      },
      organizationId,
    );
    const jobs = await this.media.save(tx, actor, id, restoredTask(part, media));
    const guide = await archive.guide(part.prefix);
    if (guide !== undefined) await this.guides.restore(tx, actor, { kind: 'task', id }, guide);
    const owner = projectId === null ? ({ kind: 'task', id } as const) : ({ kind: 'project', id: projectId } as const);
    const names = new LabelNames(await this.loader.labelsOf(tx, owner));
    const restore = (file: AnnotationsFile, ids: readonly number[]): Promise<void> =>
      this.restoreAnnotations(tx, actor, { file, names, ids, size: sizeOf(part.task) }, watched);
    await restore(
      archive.annotations(part),
      part.listed.map(
        ({ job, replica }) => (replica === undefined ? jobs[job]?.id : jobs[job]?.replicas[replica]) ?? 0,
      ),
    );
    const ofReplicas = archive.replicaAnnotations(part);
    if (ofReplicas !== undefined) await restore(ofReplicas, replicasOf(part, jobs));
    return id;
  }

  private async restoreAnnotations(
    tx: Tx,
    actor: Actor,
    {
      file,
      names,
      ids,
      size,
    }: {
      readonly file: AnnotationsFile;
      readonly names: LabelNames;
      readonly ids: readonly number[];
      readonly size: number;
    },
    { notes, signal }: Watched,
  ): Promise<void> {
    const annotations = new BackupAnnotations(file.bytes, file.name, names, size);
    try {
      for (const [index, id] of ids.entries()) {
        const batches = stoppable(counted(annotations.job(index), notes), signal);
        await this.annotations.importAll(tx, actor, { kind: 'job', id }, batches);
      }
      await annotations.end(ids.length);
    } finally {
      await annotations.close();
    }
  }
}

/** Creates a project or task from a backup in one transaction. Media are stored before it begins. */
@Injectable()
@HandlesRequests(IMPORT_BACKUP)
export class RestoreHandler implements RequestHandler {
  readonly successTtlMs = IMPORT_TTL_MS.success;
  readonly failureTtlMs = IMPORT_TTL_MS.failure;

  constructor(
    private readonly projects: ProjectCreation,
    private readonly tasks: TaskRestoration,
    private readonly guides: GuideBackup,
    private readonly attempts: ImportAttempts,
  ) {}

  async run(request: RequestContext): Promise<void> {
    const { kind, path, name } = request.parameters as RestoreParameters;
    const file = { path, name: /\.zip$/i.test(name) ? name : `${name}.zip` };
    await this.attempts.run(request, file, async ({ files, reserve }) => {
      const archive = new BackupArchive(files);
      if (kind === 'project') await archive.project();
      const parts = kind === 'project' ? await archive.tasks() : [await archive.task()];
      await this.save(request, archive, await this.tasks.prepare(request, archive, parts, reserve));
    });
  }

  private async save(request: RequestContext, archive: BackupArchive, prepared: readonly Prepared[]): Promise<void> {
    const { kind, organizationId } = request.parameters as RestoreParameters;
    request.setMessage('Saving');
    await this.attempts.save(request, async (tx, actor) => {
      const organization = organizationId === null ? null : await findOrganizationFacts(tx, organizationId, actor.id);
      if (organizationId !== null && organization === null) throw new RequestFailure('The organization was deleted');
      await stillPermitted(() => requireRestore(actor, kind, organization));
      const projectId = kind === 'project' ? await this.project(tx, actor, archive, organizationId) : null;
      const report = new ImportReport({});
      let resultId = projectId;
      for (const { part, media } of prepared) {
        const content = { archive, part, media, projectId, organizationId };
        const id = await this.tasks.create(tx, actor, content, { notes: report.notes, signal: request.signal });
        report.tasks++;
        resultId ??= id;
      }
      archive.noteOthers(prepared.map(({ part }) => part), report.notes); // prettier-ignore
      return { ...report.result(), ...(resultId !== null && { resultId }) };
    });
  }

  private async project(tx: Tx, actor: Actor, archive: BackupArchive, organizationId: number | null): Promise<number> {
    const { name, bug_tracker: bugTracker = '', labels = [] } = await archive.project();
    const { id } = await this.projects.add(tx, actor, { name, bug_tracker: bugTracker, labels }, organizationId);
    const guide = await archive.guide('');
    if (guide !== undefined) await this.guides.restore(tx, actor, { kind: 'project', id }, guide);
    return id;
  }
}

/** The replicas in the backup. */
const replicasOf = ({ task }: TaskPart, jobs: readonly { readonly replicas: readonly number[] }[]): number[] =>
  jobs.flatMap(({ replicas }, index) => replicas.slice(0, task.jobs[index]?.replicas?.length ?? 0));
