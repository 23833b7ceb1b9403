import { cocoExport } from './coco-export.js';
import { cocoImport } from './coco-import.js';
import { cvatImages } from './cvat-images.js';
import { cvatImport } from './cvat-import.js';
import { cvatVideo } from './cvat-video.js';
import type { ExportFormat, ImportFormat } from './format.js';
import { yoloExport, yoloImport } from './yolo.js';

/** All formats that datasets can be written in, in the order in which clients list them. */
export const EXPORT_FORMATS: readonly ExportFormat[] = [cocoExport, cvatVideo, cvatImages, yoloExport];

/** All formats that datasets can be read from, in the order in which clients list them. */
export const IMPORT_FORMATS: readonly ImportFormat[] = [cocoImport, cvatImport, yoloImport];

/** @param name display name with version, as `COCO 1.0` */
export const exportFormat = (name: string): ExportFormat | undefined =>
  EXPORT_FORMATS.find((format) => format.info.name === name);

/** @param name display name with version, as `CVAT 1.1` */
export const importFormat = (name: string): ImportFormat | undefined =>
  IMPORT_FORMATS.find((format) => format.info.name === name);
