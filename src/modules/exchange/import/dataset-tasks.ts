import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { validated } from '../../../core/http/body/body.js';
import { NestedField } from '../../../core/http/body/composite-fields.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import type { ArchiveAccount } from '../../../engines/annotations/formats/archive-account.js';
import type { DatasetLabel } from '../../../engines/annotations/formats/dataset.js';
import { FormatError, type FoundLabel, shown } from '../../../engines/annotations/formats/format.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { AnnotationService } from '../../annotations/index.js';
import { LabelInputDto, LabelService } from '../../labels/index.js';
import { type ImportedData, ImportedImages } from '../../media/index.js';
import { TaskCreation } from '../../tasks/index.js';
import { DatasetLoader } from '../dataset/dataset.loader.js';
import { NO_SUBSET } from './dataset-images.js';

/** A task to create. */
export interface DatasetPart {
  readonly subset: string;
  readonly data: ImportedData;
  /** The names by which annotations of the whole archive find the images; absent if they are found by subset. */
  readonly uniqueNames?: ReadonlyMap<string, string> | undefined;
}

/** The labels of a dataset, each as in the body of a new project. */
class FoundLabelsDto {
  @NestedField(() => LabelInputDto, { list: true }) labels!: LabelInputDto[];
}

/** Creates what a dataset brings to a project. */
@Injectable()
export class DatasetTasks {
  constructor(
    private readonly loader: DatasetLoader,
    private readonly projectLabels: LabelService,
    private readonly creation: TaskCreation,
    private readonly images: ImportedImages,
    private readonly annotations: AnnotationService,
  ) {}

  /** Creates the task of a subset. */
  async create(
    tx: Tx,
    actor: Actor,
    project: { readonly id: number; readonly organizationId: number | null },
    { subset, data, batches }: DatasetPart & { readonly batches: AsyncIterable<LabeledData> },
  ): Promise<void> {
    const values = { name: subset, project_id: project.id, subset: subset === NO_SUBSET ? '' : subset };
    const task = await this.creation.add(tx, actor, values, project.organizationId);
    await this.images.save(tx, actor, task.id, data);
    await this.annotations.importAll(tx, actor, { kind: 'task', id: task.id }, batches);
  }

  /** The labels of the project. If it has none, the labels of the dataset become the project's. */
  async labels(tx: Tx, actor: Actor, projectId: number, account: ArchiveAccount): Promise<DatasetLabel[]> {
    const owner = { kind: 'project', id: projectId } as const;
    const labels = await this.loader.labelsOf(tx, owner);
    if (labels.length > 0) return labels;
    const found = requireValid(await account.labels());
    if (found.length === 0) {
      throw new FormatError(
        'The project has no labels, and the dataset does not define any. Add labels to the project first.',
      );
    }
    await this.projectLabels.add(tx, actor, owner, found);
    return this.loader.labelsOf(tx, owner);
  }
}

/** @throws FormatError for labels that no project can have */
function requireValid(labels: readonly FoundLabel[]): LabelInputDto[] {
  const names = new Set<string>();
  for (const { name } of labels) {
    if (names.has(name)) throw new FormatError(`The dataset defines two labels called ${shown(name)}.`);
    names.add(name);
  }
  try {
    return validated(FoundLabelsDto, { labels }).labels;
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new FormatError(`The labels of the dataset: ${JSON.stringify(error.body).slice(0, 500)}`, { cause: error });
  }
}
