import { type CsvRow, readCsv } from '../csv.js';
import { folderName } from '../dataset.js';
import { type DatasetFiles, datasetNotFound, type ImportFormat, type ImportTarget, refuse, shown } from '../format.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { isOtherSubset } from '../import-notes.js';
import { ItemImport } from '../items/item-import.js';
import { twoDecimals } from '../items/items.js';
import { FoundLabels } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { LANDMARK_COLUMNS, NAME_COLUMN, NO_LABEL, vggFace2Info } from './layout.js';

const FILES = ['bb_landmark/loose_bb_*.csv', 'bb_landmark/loose_landmark_*.csv'] as const;
/** In a folder of its own, or next to everything else. */
const TABLE = /^(?:bb_landmark\/)?loose_(bb|landmark)_([^/]+)\.csv$/;

export const vggFace2Import: ImportFormat = {
  info: vggFace2Info,
  requires: FILES,
  recognize: ({ paths }) => (rootOf(paths, TABLE) === undefined ? 0 : 3),
  auxiliary: /(?:^|\/)(?:labels|(?:train|test)_list)\.txt$/,
  imageAt(path) {
    const [, subset, name] = /^([^/]+)\/(.+\/.+)$/s.exec(path) ?? [];
    return subset === undefined || name === undefined ? undefined : { subset, name };
  },
  async labels(files) {
    const found = new FoundLabels();
    const path = `${datasetRoot(files)}labels.txt`;
    if (files.paths.includes(path)) {
      for await (const { text } of readLines(files.read(path), path)) found.add(text);
    } else {
      for await (const { row } of rowsIn(files)) {
        const { folder } = nameOf(row);
        if (folder !== NO_LABEL) found.add(folder);
      }
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    for await (const { row, kind } of rowsIn(files, target)) {
      const { location } = row;
      const { folder, name } = nameOf(row);
      const geometry = kind === 'bb' ? boxOf(row) : landmarksOf(row);
      if (geometry.type === 'tag' && items.labels.find(folder, folderName) === undefined) {
        if (folder !== NO_LABEL) target.notes?.skip('annotation', folder, location, 'there is no label for this tag');
        continue;
      }
      const label = items.labels.named(folder, location, folderName);
      // The folder of the label is part of the name if the task has it, too.
      yield* items.add(items.frames.namedAny([`${folder}/${name}`, name], location), [
        { ...geometry, label, location },
      ]);
    }
    yield* items.finish();
  },
};

function datasetRoot({ paths }: DatasetFiles): string {
  const root = rootOf(paths, TABLE);
  if (root !== undefined) return root;
  throw datasetNotFound(FILES);
}

async function* rowsIn(
  files: DatasetFiles,
  target?: ImportTarget,
): AsyncGenerator<{ readonly row: CsvRow; readonly kind: string }> {
  for (const { path, groups } of matchesIn(files.paths, datasetRoot(files), TABLE)) {
    const [kind = '', subset = ''] = groups;
    if (isOtherSubset(subset, path, target)) continue;
    for await (const row of readCsv(files.read(path), path)) yield { row, kind };
  }
}

function nameOf(row: CsvRow): { folder: string; name: string } {
  const path = row.required(NAME_COLUMN);
  const at = path.indexOf('/');
  if (at === -1) refuse(row.location, `${shown(path)} is not a label and the name of an image`);
  return { folder: path.slice(0, at), name: path.slice(at + 1) };
}

type Geometry = Pick<FoundAnnotation, 'type' | 'points'>;

function boxOf(row: CsvRow): Geometry {
  const [x = 0, y = 0, width = 0, height = 0] = ['X', 'Y', 'W', 'H'].map((column) => row.number(column));
  return { type: 'rectangle', points: [x, y, x + width, y + height].map(twoDecimals) };
}

/** A row with a name alone is a tag. */
function landmarksOf(row: CsvRow): Geometry {
  const columns = LANDMARK_COLUMNS.slice(1);
  if (columns.every((column) => row.text(column) === '')) return { type: 'tag' };
  return { type: 'points', points: columns.map((column) => twoDecimals(row.number(column))) };
}
