import { cocoExport } from './coco-export.js';
import { cocoImport } from './coco-import.js';
import { cvatImages, cvatVideo } from './cvat-export.js';
import { cvatImport } from './cvat-import.js';
import type { ExportFormat, FormatInfo, ImportFormat } from './format.js';
import { yoloExport, yoloImport } from './yolo.js';

/** Formats in the order in which clients list them. */
class Formats<Format extends { readonly info: FormatInfo }> {
  private readonly list: Format[] = [];
  private readonly listOfNames: string[] = [];

  /** Grows when formats are added, so it is to be asked and not copied; as the next one. */
  readonly all: readonly Format[] = this.list;
  readonly names: readonly string[] = this.listOfNames;

  constructor(formats: readonly Format[]) {
    for (const format of formats) this.add(format);
  }

  /** Adding the same again changes nothing. @throws Error for the name of another one */
  add(format: Format): void {
    const known = this.find(format.info.name);
    if (known === format) return;
    if (known !== undefined) throw new Error(`there is a format ${format.info.name} already`);
    this.list.push(format);
    this.listOfNames.push(format.info.name);
  }

  /** @param name display name with version, as `COCO 1.0` */
  find(name: string): Format | undefined {
    return this.list.find((format) => format.info.name === name);
  }
}

/** What datasets can be written in. */
export const exportFormats = new Formats<ExportFormat>([cocoExport, cvatVideo, cvatImages, yoloExport]);

/** What datasets can be read from. */
export const importFormats = new Formats<ImportFormat>([cocoImport, cvatImport, yoloImport]);
