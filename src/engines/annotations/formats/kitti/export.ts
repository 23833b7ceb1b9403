import type { Dataset } from '../dataset.js';
import { type AnnotationSource, type ExportFormat, FormatError, shown } from '../format.js';
import { attributeNamed, type ItemAttribute, shapeAttributes } from '../items/attributes.js';
import { BLACK, sortedLabelColors } from '../items/colors.js';
import { byLayer, masksOf, mergeGroups, rotatedToPolygons } from '../items/conversions.js';
import { annotatedItems, itemsWith } from '../items/items.js';
import { LABEL_COLORS, labelColorsText, labelNumbers } from '../items/label-colors.js';
import { requireDistinctIds, requireListableLabels } from '../items/names.js';
import { GRAY_16, paintedPng, RGB } from '../items/painting.js';
import { type PendingFile, textFile, writeAhead } from '../items/write-ahead.js';
import { LabelNames } from '../label-names.js';
import { boxLine, FOLDERS, INSTANCES, kittiInfo } from './layout.js';

const kittiItems = itemsWith();

export const kittiExport: ExportFormat = {
  info: kittiInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = kittiItems(dataset).of(frame);
    return `${subset}/${FOLDERS.images}/${image}`;
  },
  write: (dataset, source, sink) => writeAhead(sink, filesOf(dataset, source)),
};

async function* filesOf(dataset: Dataset, source: AnnotationSource): AsyncGenerator<PendingFile> {
  requireListableLabels(kittiInfo.name, dataset.labels);
  requireDistinctIds(kittiInfo.name, kittiItems(dataset));
  const labels = sortedLabelColors(dataset.labels);
  const numbers = labelNumbers(labels);
  const names = new LabelNames(dataset.labels);
  yield textFile(LABEL_COLORS, labelColorsText(labels));
  for await (const { subset, id, frame, shapes: all } of annotatedItems(dataset, source, kittiItems(dataset))) {
    const shapes = rotatedToPolygons(all);
    const boxes = shapes.filter(({ type }) => type === 'rectangle');
    const text = boxes.map((box) => {
      const attributes = shapeAttributes(box, names);
      const [truncated, score] = [numberIn(attributes, 'truncated', 0), numberIn(attributes, 'score', 1)];
      return boxLine({ ...box, label: names.get(box.label_id).name, truncated, score });
    });
    if (text.length > 0) yield textFile(`${subset}/${FOLDERS.boxes}/${id}.txt`, text.join(''));
    const masks = byLayer(mergeGroups(masksOf(shapes, frame, PIXELS)));
    if (masks.length === 0) continue;
    const layers = masks.map(({ shape, bitmap }) => {
      const { number = 0, color = BLACK } = numbers.get(shape.label_id) ?? {};
      if (number < INSTANCES) return { bitmap, number, color };
      throw new FormatError(`KITTI has only 256 labels, and cannot express ${shown(labels[number]?.name ?? '')}.`);
    });
    const gray = (factor: number): Promise<Uint8Array> =>
        paintedPng(frame, GRAY_16, layers.map(({ bitmap, number }) => ({ bitmap, color: [number * factor] }))); // prettier-ignore
    yield { path: `${subset}/${FOLDERS.colors}/${id}.png`, content: paintedPng(frame, RGB, layers) };
    yield { path: `${subset}/${FOLDERS.classes}/${id}.png`, content: gray(1) };
    yield { path: `${subset}/${FOLDERS.instances}/${id}.png`, content: gray(INSTANCES) };
  }
}

const PIXELS = new Set(['polygon', 'ellipse', 'mask'] as const);

/** A number, or 1 for a checkbox that is set. */
function numberIn(attributes: readonly ItemAttribute[], name: string, otherwise: number): number {
  const value = attributeNamed(attributes, name);
  const number = value === undefined || value === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number : otherwise;
}
