import { Module } from '@nestjs/common';
import { LabelCommands } from './label.commands.js';
import { LabelController } from './label.controller.js';
import { LabelOwners } from './label-owners.js';
import { LabelQueries } from './label.queries.js';
import { LabelRepository } from './label.repository.js';
import { LabelService } from './label.service.js';

@Module({
  controllers: [LabelController],
  providers: [LabelRepository, LabelService, LabelOwners, LabelQueries, LabelCommands],
  exports: [LabelService],
})
export class LabelsModule {}
