import { Module } from '@nestjs/common';
import { IssuesModule } from '../issues/index.js';
import { JobsModule } from '../jobs/index.js';
import { ProjectsModule } from '../projects/index.js';
import { TasksModule } from '../tasks/index.js';
import { FormerAssignees } from './former-assignees.js';

/** Ends assignments together with memberships. */
@Module({ imports: [IssuesModule, JobsModule, ProjectsModule, TasksModule], providers: [FormerAssignees] })
export class AssignmentsModule {}
