import type { Dataset } from '../dataset.js';
import { type AnnotationSource, type ExportFormat, FormatError, shown } from '../format.js';
import { attributeNamed, shapeAttributes } from '../items/attributes.js';
import { BLACK, type ColoredLabel, sortedLabelColors } from '../items/colors.js';
import { byLayer, type ItemMask } from '../items/conversions.js';
import { annotatedItems, itemsWith } from '../items/items.js';
import { LABEL_COLORS, labelColorsText, labelNumbers } from '../items/label-colors.js';
import { requireDistinctIds, requireListableLabels } from '../items/names.js';
import { areaMasks, GRAY, GRAY_16, paintedPng, RGB } from '../items/painting.js';
import { type PendingFile, textFile, writeAhead } from '../items/write-ahead.js';
import { LabelNames } from '../label-names.js';
import { cityscapesInfo, INSTANCES } from './layout.js';

const cityscapesItems = itemsWith();

export const cityscapesExport: ExportFormat = {
  info: cityscapesInfo,
  imagePath(frame, _task, dataset) {
    const { subset, id, image } = cityscapesItems(dataset).of(frame);
    return `imgsFine/leftImg8bit/${subset}/${id}_leftImg8bit${image.slice(id.length)}`;
  },
  write: (dataset, source, sink) => writeAhead(sink, filesOf(dataset, source)),
};

async function* filesOf(dataset: Dataset, source: AnnotationSource): AsyncGenerator<PendingFile> {
  requireListableLabels(cityscapesInfo.name, dataset.labels);
  requireDistinctIds(cityscapesInfo.name, cityscapesItems(dataset));
  const labels = sortedLabelColors(dataset.labels);
  const numbers = labelNumbers(labels);
  const names = new LabelNames(dataset.labels);
  yield textFile(LABEL_COLORS, labelColorsText(labels));
  for await (const { subset, id, frame, shapes } of annotatedItems(dataset, source, cityscapesItems(dataset))) {
    const masks = areaMasks(shapes, frame);
    if (masks.length === 0) continue;
    const layers = byLayer(
      masks.map((mask, at) => {
        const { number = 0, color = BLACK } = numbers.get(mask.shape.label_id) ?? {};
        return { ...mask, number, color, instance: instanceOf(mask, number, at + 1, names, labels) };
      }),
    );
    const path = `gtFine/${subset}/${id}_gtFine_`;
    yield { path: `${path}color.png`, content: paintedPng(frame, RGB, layers) };
    const classes = layers.map(({ bitmap, number }) => ({ bitmap, color: [number] }));
    yield { path: `${path}labelIds.png`, content: paintedPng(frame, GRAY, classes) };
    const instances = layers.map(({ bitmap, instance }) => ({ bitmap, color: [instance] }));
    yield { path: `${path}instanceIds.png`, content: paintedPng(frame, GRAY_16, instances) };
  }
}

const MAX_VALUE = 2 ** 16 - 1;

/** The value of an instance. Crowds have no number of their own. @throws FormatError if 16 bits are not enough */
function instanceOf(
  { shape }: ItemMask,
  label: number,
  instance: number,
  names: LabelNames,
  labels: readonly ColoredLabel[],
): number {
  const isCrowd = attributeNamed(shapeAttributes(shape, names), 'is_crowd') === true;
  // Objects of label 0, the background, cannot be numbered: small values are labels.
  const value = isCrowd || label === 0 ? label : label * INSTANCES + instance;
  if (instance < INSTANCES && value <= MAX_VALUE && label < 2 ** 8) return value;
  const object = `object ${instance} of an image, with the label ${shown(labels[label]?.name ?? '')}`;
  throw new FormatError(`Cityscapes has only 65 labels with 999 objects in each image, and cannot express ${object}.`);
}
