import { type ExportFormat, FormatError, shown } from '../format.js';
import { attributeNamed, shapeAttributes } from '../items/attributes.js';
import { BLACK, type ColoredLabel, sortedLabelColors } from '../items/colors.js';
import { byLayer, type ItemMask } from '../items/conversions.js';
import { annotatedItems, itemsWith } from '../items/items.js';
import { LABEL_COLORS, labelColorsText, labelNumbers } from '../items/label-colors.js';
import { areaMasks, GRAY, GRAY_16, paintedPng, RGB } from '../items/painting.js';
import { LabelNames } from '../label-names.js';
import { cityscapesInfo, INSTANCES } from './layout.js';

const cityscapesItems = itemsWith();

export const cityscapesExport: ExportFormat = {
  info: cityscapesInfo,
  imagePath(frame, _task, dataset) {
    const { subset, id, image } = cityscapesItems(dataset).of(frame);
    return `imgsFine/leftImg8bit/${subset}/${id}_leftImg8bit${image.slice(id.length)}`;
  },
  async write(dataset, source, sink) {
    const items = cityscapesItems(dataset);
    const labels = sortedLabelColors(dataset.labels);
    const numbers = labelNumbers(labels);
    const names = new LabelNames(dataset.labels);
    await sink.addFile(LABEL_COLORS, Buffer.from(labelColorsText(labels)));
    for await (const { subset, id, frame, shapes } of annotatedItems(dataset, source, items)) {
      const masks = areaMasks(shapes, frame);
      if (masks.length === 0) continue;
      const layers = byLayer(
        masks.map((mask, at) => {
          const { number = 0, color = BLACK } = numbers.get(mask.shape.label_id) ?? {};
          return { ...mask, number, color, instance: instanceOf(mask, number, at + 1, names, labels) };
        }),
      );
      const path = `gtFine/${subset}/${id}_gtFine_`;
      await sink.addFile(`${path}color.png`, await paintedPng(frame, RGB, layers));
      const classes = layers.map(({ bitmap, number }) => ({ bitmap, color: [number] }));
      await sink.addFile(`${path}labelIds.png`, await paintedPng(frame, GRAY, classes));
      const instances = layers.map(({ bitmap, instance }) => ({ bitmap, color: [instance] }));
      await sink.addFile(`${path}instanceIds.png`, await paintedPng(frame, GRAY_16, instances));
    }
  },
};

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
  const value = isCrowd ? label : label * INSTANCES + instance;
  if (instance < INSTANCES && value <= MAX_VALUE && label < 2 ** 8) return value;
  const object = `object ${instance} of an image, with the label ${shown(labels[label]?.name ?? '')}`;
  throw new FormatError(`Cityscapes has only 65 labels with 999 objects in each image, and cannot express ${object}.`);
}
