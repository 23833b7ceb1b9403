import { Module } from '@nestjs/common';
import { LabelAccess } from './label.access.js';
import { LabelController } from './label.controller.js';
import { LabelRepository } from './label.repository.js';
import { LabelOwners, LabelService } from './label.service.js';

export {
  drawingByNames,
  EmbeddedLabelDto,
  EmbeddedLabels,
  INPUT_TYPES,
  LabelChangeDto,
  LabelInputDto,
} from './label.dto.js';
export { ChangesLabelOwner, deletedLabels, LabelService, RequiresLabelOwner } from './label.service.js';

@Module({
  controllers: [LabelController],
  providers: [LabelRepository, LabelService, LabelOwners, LabelAccess],
  exports: [LabelService],
})
export class LabelsModule {}
