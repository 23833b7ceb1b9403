import { camVidExport } from './camvid/export.js';
import { camVidImport } from './camvid/import.js';
import { cityscapesExport } from './cityscapes/export.js';
import { cityscapesImport } from './cityscapes/import.js';
import { cocoExport } from './coco-export.js';
import { cocoImport } from './coco-import.js';
import { panopticExport } from './coco-panoptic/export.js';
import { panopticImport } from './coco-panoptic/import.js';
import { cocoKeypointsExport } from './coco-keypoints/export.js';
import { cocoKeypointsImport } from './coco-keypoints/import.js';
import { cvatImages, cvatVideo } from './cvat-export.js';
import { cvatImport } from './cvat-import.js';
import type { ExportFormat, FormatInfo, ImportFormat } from './format.js';
import { datumaro3dExport, datumaroExport } from './datumaro/export.js';
import { datumaro3dImport, datumaroImport } from './datumaro/import.js';
import { localizationExport, localizationImport } from './icdar/localization.js';
import { recognitionExport, recognitionImport } from './icdar/recognition.js';
import { segmentationExport, segmentationImport } from './icdar/segmentation.js';
import { imageFolderExport, parquetExport } from './hugging-face/export.js';
import { imageFolderImport, parquetImport } from './hugging-face/import.js';
import { imageNetExport } from './imagenet/export.js';
import { imageNetImport } from './imagenet/import.js';
import { kittiRawExport } from './kitti-raw/export.js';
import { kittiRawImport } from './kitti-raw/import.js';
import { kittiExport } from './kitti/export.js';
import { kittiImport } from './kitti/import.js';
import { labelMeExport } from './labelme/export.js';
import { labelMeImport } from './labelme/import.js';
import { lfwExport } from './lfw/export.js';
import { lfwImport } from './lfw/import.js';
import { marketExport } from './market1501/export.js';
import { marketImport } from './market1501/import.js';
import { motExport } from './mot/export.js';
import { motImport } from './mot/import.js';
import { motsExport } from './mots/export.js';
import { motsImport } from './mots/import.js';
import { openImagesExport } from './open-images/export.js';
import { openImagesImport } from './open-images/import.js';
import { slyExport } from './sly/export.js';
import { slyImport } from './sly/import.js';
import { ultralyticsExports } from './ultralytics/export.js';
import { ultralyticsImports } from './ultralytics/import.js';
import { vggFace2Export } from './vggface2/export.js';
import { vggFace2Import } from './vggface2/import.js';
import { segmentationMaskExport, vocExport } from './voc/export.js';
import { segmentationMaskImport, vocImport } from './voc/import.js';
import { widerFaceExport } from './widerface/export.js';
import { widerFaceImport } from './widerface/import.js';
import { yoloExport, yoloImport } from './yolo.js';

/** Formats in the order in which clients list them. */
class Formats<Format extends { readonly info: FormatInfo }> {
  private readonly list: Format[] = [];
  private readonly listOfNames: string[] = [];

  /** Live: it grows when formats are added, so do not copy it. The same applies to the next one. */
  readonly all: readonly Format[] = this.list;
  readonly names: readonly string[] = this.listOfNames;

  constructor(formats: readonly Format[]) {
    for (const format of formats) this.add(format);
  }

  /** Adding the same format again has no effect. @throws Error if another format has this name */
  add(format: Format): void {
    const known = this.find(format.info.name);
    if (known === format) return;
    if (known !== undefined) throw new Error(`there is a format ${format.info.name} already`);
    this.list.push(format);
    this.listOfNames.push(format.info.name);
  }

  /** @param name display name with version, such as `COCO 1.0` */
  find(name: string): Format | undefined {
    return this.list.find((format) => format.info.name === name);
  }
}

/** Formats that datasets can be exported to. */
export const exportFormats = new Formats<ExportFormat>([
  camVidExport,
  cityscapesExport,
  cocoExport,
  cocoKeypointsExport,
  cvatVideo,
  cvatImages,
  datumaroExport,
  datumaro3dExport,
  recognitionExport,
  localizationExport,
  segmentationExport,
  imageNetExport,
  kittiExport,
  labelMeExport,
  lfwExport,
  marketExport,
  segmentationMaskExport,
  motExport,
  motsExport,
  openImagesExport,
  vocExport,
  slyExport,
  kittiRawExport,
  vggFace2Export,
  widerFaceExport,
  yoloExport,
  ...ultralyticsExports,
  panopticExport,
  imageFolderExport,
  parquetExport,
]);

/** Formats that datasets can be imported from. */
export const importFormats = new Formats<ImportFormat>([
  camVidImport,
  cityscapesImport,
  cocoImport,
  cocoKeypointsImport,
  cvatImport,
  datumaroImport,
  datumaro3dImport,
  recognitionImport,
  localizationImport,
  segmentationImport,
  imageNetImport,
  kittiImport,
  labelMeImport,
  lfwImport,
  marketImport,
  segmentationMaskImport,
  motImport,
  motsImport,
  openImagesImport,
  vocImport,
  slyImport,
  kittiRawImport,
  vggFace2Import,
  widerFaceImport,
  yoloImport,
  ...ultralyticsImports,
  panopticImport,
  imageFolderImport,
  parquetImport,
]);
