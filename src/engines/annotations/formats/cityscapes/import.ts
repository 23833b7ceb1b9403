import type { LabeledData } from '../../../../shared/annotations/model.js';
import { type DatasetFiles, datasetNotFound, type ImportFormat, refuse } from '../format.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { crowdLabels, labelOfPixels, numberedLabels } from '../items/label-colors.js';
import { bitmapsByValue, readMaskImage } from '../items/mask-images.js';
import { cityscapesInfo, INSTANCES, MEMBER } from './layout.js';

export const cityscapesImport: ImportFormat = {
  info: cityscapesInfo,
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
    for (const { path, subset, id } of masksIn(files)) {
      if (target.subset !== undefined && target.subset !== subset) continue;
      yield* readMask(files, { path, id }, names, items);
    }
    yield* items.finish();
  },
};

const rootIn = ({ paths }: DatasetFiles): string => rootOf(paths, MEMBER) ?? '';

interface MaskFile {
  readonly path: string;
  readonly id: string;
}

const MASK = /^gtFine\/([^/]+)\/(.+)_gtFine_(labelTrainIds|instanceIds)\.png$/s;

/** Images with the numbers of labels for training or, if there are none, those with the numbers of instances. */
function masksIn(files: DatasetFiles): (MaskFile & { readonly subset: string })[] {
  const found = [...matchesIn(files.paths, rootIn(files), MASK)].map(
    ({ path, groups: [subset = '', id = '', kind] }) => ({ path, subset, id, kind }),
  );
  if (rootOf(files.paths, MEMBER) === undefined) {
    throw datasetNotFound(
      'Dataset must contain a file: "gtFine/**/*_gtFine_instanceIds.png" "gtFine/**/*_gtFine_labelTrainIds.png" ' +
        '"imgsFine/leftImg8bit/**/*_leftImg8bit.*"',
    );
  }
  const trainIds = found.filter(({ kind }) => kind === 'labelTrainIds');
  return trainIds.length > 0 ? trainIds : found;
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
