import { type DatasetFiles, datasetNotFound, type ImportFormat, type ImportTarget, refuse } from '../format.js';
import { imageIn, memberOf } from '../items/dataset-root.js';
import { outlinesOf } from '../items/conversions.js';
import { DrawingBudget } from '../items/drawing-budget.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { isOtherSubset } from '../import-notes.js';
import { ItemImport } from '../items/item-import.js';
import { bitmapsByValue, readMaskImage } from '../items/mask-images.js';
import { FoundLabels } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { MAX_TRACKS } from './export.js';

/** The folders of a subset. */
const FOLDERS = ['images', 'instances'];

export const motsImport: ImportFormat = {
  info: { name: 'MOTS PNG 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' },
  requires: [],
  recognize: ({ paths }) => (paths.some((path) => memberOf(FOLDERS, path)?.folder === 'instances') ? 3 : 0),
  auxiliary: /(?:^|\/)instances\/labels\.txt$/,
  masks: /(?:^|\/)instances\//,
  imageAt: (path) => imageIn('images', FOLDERS, path),
  async labels(files) {
    const found = new FoundLabels();
    for (const { names } of await subsetsOf(files)) for (const name of names.values()) found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target, { tracks: 'all', trackSource: 'manual' });
    const tracks = new TrackNumbers();
    for (const { subset, names, paths } of await subsetsOf(files)) {
      for (const { path, name } of paths) {
        if (isOtherSubset(subset, path, target)) continue;
        const frame = items.frames.named(name, path);
        const image = await readMaskImage(files, path, 'gray', frame);
        const found: FoundAnnotation[] = [];
        const budget = new DrawingBudget(frame);
        for (const [value, bitmap] of bitmapsByValue(image, path)) {
          const number = Math.floor(value / MAX_TRACKS);
          if (value === 0) continue;
          if (number === 0) refuse(path, `the value ${value} is not the number of a label and an object`);
          const label = names.get(number) ?? refuse(path, `the value ${value} has no label in the list of labels`);
          const object = { type: 'pixels', bitmap, label: items.labels.named(label, path), location: path } as const;
          for (const shape of shapesOf(object, value, target, { tracks, budget })) found.push(shape);
        }
        yield* items.add(frame, found);
      }
    }
    yield* items.finish();
  },
};

/** The polygons of an object; the first one continues its track. Tracks cannot have masks, so masks are single shapes. */
function shapesOf(
  object: FoundAnnotation & { readonly bitmap: NonNullable<FoundAnnotation['bitmap']> },
  value: number,
  target: ImportTarget,
  { tracks, budget }: { readonly tracks: TrackNumbers; readonly budget: DrawingBudget },
): FoundAnnotation[] {
  if (target.masksToPolygons !== true) return [object];
  const outlines = outlinesOf(object.bitmap, budget) ?? refuse(object.location, 'the outline of a mask is too long');
  return outlines.map((points, at) => ({
    ...object,
    type: 'polygon',
    points,
    track: at === 0 ? tracks.of(value) : tracks.next(),
  }));
}

class TrackNumbers {
  private readonly byValue = new Map<number, number>();
  private last = 0;

  next(): number {
    return ++this.last;
  }

  of(value: number): number {
    const track = this.byValue.get(value) ?? this.next();
    this.byValue.set(value, track);
    return track;
  }
}

interface Subset {
  readonly subset: string;
  /** Labels by their number. */
  readonly names: ReadonlyMap<number, string>;
  readonly paths: readonly { readonly path: string; readonly name: string }[];
}

/** The classes of the MOTS challenge, for archives without a list of labels. */
const MOTS_LABELS = new Map([
  [1, 'car'],
  [2, 'pedestrian'],
  [10, 'ignored'],
]);

/** @throws FormatError if no folder has masks or labels */
async function subsetsOf(files: DatasetFiles): Promise<Subset[]> {
  const subsets = new Map<string, { names: ReadonlyMap<number, string>; paths: { path: string; name: string }[] }>();
  for (const path of files.paths) {
    const found = memberOf(FOLDERS, path);
    if (found?.folder !== 'instances') continue;
    const subset = subsets.get(found.subset) ?? { names: MOTS_LABELS, paths: [] };
    subsets.set(found.subset, subset);
    if (found.name === 'labels.txt') subset.names = await namesIn(files, path);
    else if (/\.png$/i.test(path)) subset.paths.push({ path, name: found.name });
  }
  if (subsets.size === 0) throw datasetNotFound('Dataset must contain a folder "instances" with masks.');
  return [...subsets].map(([subset, found]) => ({ subset, ...found }));
}

async function namesIn(files: DatasetFiles, path: string): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  for await (const { text } of readLines(files.read(path), path)) names.set(names.size + 1, text);
  return names;
}
