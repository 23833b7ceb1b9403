import { ApiProperty, OmitType } from '@nestjs/swagger';
import type { Queryable } from '../../core/database/db.js';
import type { Representation, WireObject } from '../../core/versioning/representations.js';
import { EmbeddedLabelDto, EmbeddedLabels, type LabelService } from '../labels/index.js';
import { ProjectDto } from './project.dto.js';

/** A project in version 2.0. */
export class Project20Dto extends OmitType(ProjectDto, ['labels'] as const) {
  @ApiProperty({ type: [EmbeddedLabelDto] }) labels!: EmbeddedLabelDto[];
}

/** Version 2.0 embeds the labels in a project. */
export const projectVersions = (labels: LabelService): Representation => ({
  resource: 'project',
  extras: async (db: Queryable, projects: readonly WireObject[]) => {
    const ids = projects.map((project) => Number(project['id']));
    const embedded = new EmbeddedLabels(await labels.ofOwners(db, 'project', ids));
    return ids.map((id) => embedded.ofProject(id));
  },
  older: { '2.0': { embedded: 'labels' } },
});
