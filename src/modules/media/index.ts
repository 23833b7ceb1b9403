export { type ImportedData, type ImportedImage, ImportedImages } from './creation/imported-images.js';
export { MediaRestoration, type RestoredMedia, type RestoredTask } from './creation/restored-media.js';
export { MediaFiles, type MediaPlace } from './media-files.js';
export { MediaModule } from './media.module.js';
export { MediaSourceRepository, type ValidationRow } from './reading/media-source.repository.js';
export { PieceWriter } from './upload/piece-writer.js';
export { readUploadKey, readUploadMetadata } from './upload/tus-protocol.js';
export { TusEndpoint } from './upload/tus.endpoint.js';
export { RequestIdDto } from './upload/upload.dto.js';
