export { EmbeddedLabelDto, LabelChangeDto, LabelInputDto } from './label.dto.js';
export { ChangesLabelOwner, RequiresLabelOwner } from './label-owners.js';
export { drawingByNames, embeddedByOwner, toEmbeddedLabel } from './label.mapper.js';
export { deletedLabels, LabelService } from './label.service.js';
export { LabelsModule } from './labels.module.js';
