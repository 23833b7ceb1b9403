import { posix } from 'node:path';
import type { LabeledData } from '../../../../shared/annotations/model.js';
import { mediaKind } from '../../../../shared/media-kind.js';
import { type DatasetFiles, type DatasetImage, datasetNotFound, type ImportFormat, refuse, shown } from '../format.js';
import { firstLine, MAX_LINE } from '../archive-sample.js';
import { isOtherSubset } from '../import-notes.js';
import { BACKGROUND, BLACK, colorKey } from '../items/colors.js';
import { hasFile, matchesIn, subsetsIn, suffixesOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { labelOfPixels, LABEL_COLORS, labelsByColor, type NamedColor, readLabelColors } from '../items/label-colors.js';
import { bitmapsByValue, readMaskImage } from '../items/mask-images.js';
import { FoundLabels } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { CAMVID_LABELS, camVidInfo, camVidRoot, MAX_LINE as MAX_LISTED, parseLine, wordsOf } from './layout.js';

const LISTS = /(?:^|\/)[^/]+\.txt$/;

export const camVidImport: ImportFormat = {
  info: camVidInfo,
  imageAt,
  /** Lists may have the masks of a subset in any folder. */
  async imagesIn(files) {
    const masks = new Set<string>();
    for await (const { mask } of masksIn(files, requiredRoot(files))) masks.add(mask);
    return (path) => (masks.has(path) ? undefined : imageAt(path));
  },
  auxiliary: /(?:^|\/)label_colors\.txt$/,
  masks: /(?:^|\/)[^/]+annot\//,
  async recognize(sample) {
    const names = new Set(sample.paths.map((path) => posix.basename(path)));
    const isListed = (line: string): boolean => {
      const { image, mask } = wordsOf(line.trim()) ?? {};
      return mediaKind(image ?? '') === 'image' && mask !== undefined && names.has(posix.basename(mask));
    };
    const isImage = (line: string): boolean => mediaKind(wordsOf(line)?.image ?? '') === 'image';
    const isShort = ({ length }: string): boolean => length <= MAX_LINE;
    if (await sample.some(LISTS, (text) => text.split('\n').filter(isShort).some(isListed))) return 3;
    const isList = await sample.some(LISTS, (text) => isImage(firstLine(text)));
    return isList && names.has(LABEL_COLORS) ? 2 : 0;
  },
  subsets: async (files) => subsetsIn(files.paths, requiredRoot(files)),
  async labels(files) {
    const found = new FoundLabels();
    const labels = await labelMap(files, requiredRoot(files));
    if (!labels.some(isBlack)) found.add(BACKGROUND);
    for (const { name } of labels) found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const root = requiredRoot(files);
    const byColor = labelsByColor(await labelMap(files, root), `${root}${LABEL_COLORS}`);
    const items = new ItemImport(target);
    const known = new Set<string>();
    for await (const { subset, image, mask } of masksIn(files, root)) {
      if (isOtherSubset(subset, mask, target) || known.has(mask)) continue;
      known.add(mask);
      yield* readMask(files, { image, mask }, byColor, items);
    }
    yield* items.finish();
  },
};

function imageAt(path: string): DatasetImage | undefined {
  const [, subset, name] = /^([^/]+)\/(.+)$/s.exec(path) ?? [];
  const isMask = /^(?:[^/]+\/){0,3}?[^/]+annot\//.test(path);
  return subset === undefined || name === undefined || isMask ? undefined : { subset, name };
}

function requiredRoot(files: DatasetFiles): string {
  const root = camVidRoot(files);
  if (root === undefined) throw datasetNotFound('Dataset must contain a file: "*.txt"');
  return root;
}

const labelMap = async (files: DatasetFiles, root: string): Promise<readonly NamedColor[]> =>
  (await readLabelColors(files, root)) ?? CAMVID_LABELS;

const isBlack = ({ color }: NamedColor): boolean => colorKey(color) === colorKey(BLACK);

interface ListedMask {
  readonly image: string;
  /** Its path in the archive. */
  readonly mask: string;
}

/** The masks in the lists of images, by subset. */
async function* masksIn(files: DatasetFiles, root: string): AsyncGenerator<ListedMask & { readonly subset: string }> {
  for (const { path, groups } of matchesIn(files.paths, root, /^([^/]+)\.txt$/)) {
    if (path === `${root}${LABEL_COLORS}`) continue;
    const [subset = ''] = groups;
    for await (const { text, location } of readLines(files.read(path), path, MAX_LISTED)) {
      const { image, mask } = parseLine(text, location);
      if (mask === undefined) continue;
      // Lists of other tools have folders in front that archives do not have.
      const places = suffixesOf(posix.normalize(`/${mask}`).slice(1));
      const found = places.map((each) => root + each).find((each) => hasFile(files, each));
      if (found === undefined) refuse(location, `the archive has no mask ${shown(mask)}`);
      yield { subset, image: image.replace(/^\/?[^/]+\//, ''), mask: found };
    }
  }
}

async function* readMask(
  files: DatasetFiles,
  { image, mask: path }: ListedMask,
  byColor: ReadonlyMap<number, string>,
  items: ItemImport,
): AsyncGenerator<LabeledData> {
  const frame = items.frames.named(image, path);
  const found: FoundAnnotation[] = [];
  for (const [key, bitmap] of bitmapsByValue(await readMaskImage(files, path, 'colors', frame), path)) {
    const color = [key >> 16, (key >> 8) & 255, key & 255].join(' ');
    const name = byColor.get(key);
    if (name === undefined && key === colorKey(BLACK)) continue;
    if (name === undefined) refuse(path, `no label has the colour ${shown(color)}`);
    const label = labelOfPixels(items.labels, name, path);
    if (label !== undefined) found.push({ type: 'pixels', label, bitmap, location: path });
  }
  yield* items.add(frame, found);
}
