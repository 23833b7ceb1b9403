import type { LabeledData } from '../../../../shared/annotations/model.js';
import { type DatasetFiles, datasetNotFound, type ImportFormat, refuse } from '../format.js';
import { isOtherSubset } from '../import-notes.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { crowdLabels, labelOfPixels, numberedLabels } from '../items/label-colors.js';
import { bitmapsByValue, readMaskImage } from '../items/mask-images.js';
import { cityscapesInfo, INSTANCES, MEMBER } from './layout.js';

const FILES = [
  'gtFine/**/*_gtFine_instanceIds.png',
  'gtFine/**/*_gtFine_labelTrainIds.png',
  'imgsFine/leftImg8bit/**/*_leftImg8bit.*',
] as const;

export const cityscapesImport: ImportFormat = {
  info: cityscapesInfo,
  requires: FILES,
  auxiliary: /(?:^|\/)label_colors\.txt$/,
  masks: /_gtFine_[^/]*$/,
  sameAs(path) {
    const [, start = path] = /^(.*_gtFine_)[^/]*$/s.exec(path) ?? [];
    return [`${start}labelTrainIds.png`, `${start}instanceIds.png`];
  },
  recognize: ({ paths }) =>
    paths.some((path) => ANYWHERE.test(path)) ? 3 : paths.some((path) => MEMBER.test(path)) ? 1 : 0,
  /** Images have the names of their masks: `ID.png` instead of `ID_leftImg8bit.png`. */
  imageAt(path) {
    const [, subset, id, extension] =
      /^(?:[^/]+\/){0,4}?leftImg8bit\/([^/]+)\/(.+)_leftImg8bit(\.[^./]+)$/s.exec(path) ?? [];
    return subset === undefined || id === undefined ? undefined : { subset, name: `${id}${extension}` };
  },
  labels: (files) => crowdLabels(files, rootIn(files)),
  async *read(files, target) {
    const names = await numberedLabels(files, rootIn(files), target.labels);
    const items = new ItemImport(target, { implied: ['is_crowd'] });
    for (const mask of masksIn(files)) {
      if (!isOtherSubset(mask.subset, mask.path, target)) yield* readMask(files, mask, names, items);
    }
    yield* items.finish();
    for (const path of files.paths) {
      if (ANYWHERE.test(path) && !/(?:^|\/)gtFine\//.test(path)) target.notes?.ignore(path, 'masks are read from folders gtFine only'); // prettier-ignore
    }
  },
};

const rootIn = ({ paths }: DatasetFiles): string => rootOf(paths, MEMBER) ?? '';

interface MaskFile {
  readonly path: string;
  readonly subset: string;
  readonly id: string;
}

const IN_SUBSET = /^gtFine\/([^/]+)\/(.+)_gtFine_(labelTrainIds|instanceIds)\.png$/s;
const ANYWHERE = /_gtFine_(?:labelTrainIds|instanceIds)\.png$/;

/** For each image, the numbers of labels for training or, without them, the numbers of instances. */
function masksIn(files: DatasetFiles): MaskFile[] {
  const [root, paths] = [rootIn(files), new Set(files.paths)];
  if (rootOf(files.paths, MEMBER) === undefined) throw datasetNotFound(FILES);
  return Array.from(matchesIn(files.paths, root, IN_SUBSET)).flatMap(
    ({ path, groups: [subset = '', id = '', kind] }) =>
      kind === 'instanceIds' && paths.has(path.replace(/instanceIds\.png$/, 'labelTrainIds.png'))
        ? []
        : [{ path, subset, id }],
  );
}

/** In images for training, pixels without a label have this value. */
const NO_TRAIN_ID = 255;

async function* readMask(
  files: DatasetFiles,
  { path, id }: MaskFile,
  names: readonly string[],
  items: ItemImport,
): AsyncGenerator<LabeledData> {
  const frame = items.frames.namedAny([id, `${id}_leftImg8bit`], path);
  const found: FoundAnnotation[] = [];
  for (const [value, bitmap] of bitmapsByValue(await readMaskImage(files, path, 'gray', frame), path)) {
    if (value === NO_TRAIN_ID && path.endsWith('labelTrainIds.png')) continue;
    const isCrowd = value < INSTANCES;
    const number = isCrowd ? value : Math.floor(value / INSTANCES);
    const name = names[number] ?? refuse(path, `the value ${value} has no label in the list of labels`);
    const label = labelOfPixels(items.labels, name, path);
    if (label === undefined) continue;
    const attributes = [['is_crowd', String(isCrowd)]] as const;
    found.push({ type: 'pixels', label, bitmap, attributes, location: path });
  }
  yield* items.add(frame, found);
}
