import type { AnnotationSource, ExportFormat, FileContent } from '../format.js';
import {
  annotatedItems,
  decimalText,
  type DatasetItems,
  itemsWith,
  type SubsetPart,
  subsetParts,
} from '../items/items.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { imageFolderInfo, parquetInfo } from './layout.js';
import { parquetOf } from './parquet-write.js';
import { type MetadataRow, rowOf } from './rows.js';

const itemsOf = itemsWith();

/** @param contentOf the file with the rows */
const exportOf = (
  info: ExportFormat['info'],
  file: string,
  contentOf: (rows: AsyncIterable<MetadataRow>) => FileContent,
): ExportFormat => ({
  info,
  imagePath(frame, _task, dataset) {
    const { subset, image } = itemsOf(dataset).of(frame);
    return `data/${subset}/${image}`;
  },
  async write(dataset, source, sink) {
    const items = itemsOf(dataset);
    for (const part of subsetParts(dataset, items)) {
      await sink.addFile(`data/${part.subset}/${file}`, contentOf(rowsOf(part, source, items)));
    }
  },
});

async function* rowsOf(
  { dataset }: SubsetPart,
  source: AnnotationSource,
  items: DatasetItems,
): AsyncGenerator<MetadataRow> {
  const labels = new LabelNames(dataset.labels);
  for await (const item of annotatedItems(dataset, source, items)) yield rowOf(item, labels);
}

async function* jsonLines(rows: AsyncIterable<MetadataRow>): AsyncGenerator<string> {
  for await (const { objects, ...row } of rows) {
    const columns = Object.entries(objects).map(([name, values]: [string, readonly unknown[]]) => {
      const text = DECIMALS.has(name) ? decimalsText(values) : JSON.stringify(values);
      return `${JSON.stringify(name)}:${text}`;
    });
    yield `${JSON.stringify(row).slice(0, -1)},"objects":{${columns.join()}}}\n`;
  }
}

/** Columns of decimals. Readers that derive types from the first rows take a number without a point for an integer. */
const DECIMALS = new Set(['bbox', 'points', 'rotation']);

const decimalsText = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(decimalsText).join()}]` : decimalText(Number(value));

/** Images in a folder for each subset, with a line of JSON for each image. */
export const imageFolderExport = exportOf(imageFolderInfo, 'metadata.jsonl', (rows) => inPieces(jsonLines(rows)));

/** The same with a Parquet file instead of lines of JSON. */
export const parquetExport = exportOf(parquetInfo, 'metadata.parquet', parquetOf);
