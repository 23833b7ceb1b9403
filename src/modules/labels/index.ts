import { Module } from '@nestjs/common';
import { LabelAccess, LabelOwners } from './label.access.js';
import { LabelController } from './label.controller.js';
import { LabelRepository } from './label.repository.js';
import { LabelService } from './label.service.js';

export {
  EmbeddedLabelDto,
  LabelChangeDto,
  LabelInputDto,
  drawingByNames,
  embeddedByOwner,
  toEmbeddedLabel,
} from './label.dto.js';
export { ChangesLabelOwner, RequiresLabelOwner } from './label.access.js';
export { deletedLabels, LabelService } from './label.service.js';

@Module({
  controllers: [LabelController],
  providers: [LabelRepository, LabelService, LabelOwners, LabelAccess],
  exports: [LabelService],
})
export class LabelsModule {}
