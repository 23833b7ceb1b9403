import type { Dataset } from '../dataset.js';
import { type AnnotationSource, type ExportFormat, FormatError, shown } from '../format.js';
import { BLACK, sortedLabelColors } from '../items/colors.js';
import { byLayer } from '../items/conversions.js';
import { annotatedItems, type DatasetItems, itemsWith } from '../items/items.js';
import { LABEL_COLORS, labelColorsText, labelNumbers } from '../items/label-colors.js';
import { requireListable, requireListableLabels } from '../items/names.js';
import { areaMasks, paintedPng, RGB } from '../items/painting.js';
import { type PendingFile, textFile, writeAhead } from '../items/write-ahead.js';
import { camVidInfo, listLine, masksFolder } from './layout.js';

const camVidItems = itemsWith();

/** Image and mask are separated by a space, and in quotes if they have spaces. */
const OTHER_SEPARATOR = { pattern: /"\s+"/, what: 'spaces between quotes' };

export const camVidExport: ExportFormat = {
  info: camVidInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = camVidItems(dataset).of(frame);
    return `${subset}/${image}`;
  },
  async write(dataset, source, sink) {
    const items = camVidItems(dataset);
    requireFreeNames(items);
    requireListable(camVidInfo.name, items, OTHER_SEPARATOR);
    requireListableLabels(camVidInfo.name, dataset.labels);
    await writeAhead(sink, filesOf(dataset, source));
  },
};

async function* filesOf(dataset: Dataset, source: AnnotationSource): AsyncGenerator<PendingFile> {
  const labels = sortedLabelColors(dataset.labels);
  const numbers = labelNumbers(labels);
  const own = labels.filter(({ id }) => id !== null);
  yield textFile(LABEL_COLORS, labelColorsText(own));
  const lists = new Map<string, string[]>();
  for await (const item of annotatedItems(dataset, source, camVidItems(dataset))) {
    const { subset, id, image, frame, shapes } = item;
    const masks = byLayer(areaMasks(shapes, frame));
    const path = masks.length === 0 ? undefined : `${masksFolder(subset)}/${id}.png`;
    const list = lists.get(subset) ?? [];
    lists.set(subset, list);
    list.push(listLine(`/${subset}/${image}`, path));
    if (path === undefined) continue;
    const layers = masks.map(({ shape, bitmap }) => ({ bitmap, color: numbers.get(shape.label_id)?.color ?? BLACK }));
    yield { path, content: paintedPng(frame, RGB, layers) };
  }
  for (const [subset, lines] of lists) yield textFile(`${subset}.txt`, lines.join(''));
}

/** @throws FormatError if a list or folder would have a name that is already in use */
function requireFreeNames(items: DatasetItems): void {
  const subsets = items.bySubset();
  for (const subset of subsets.keys()) {
    if (`${subset}.txt` !== LABEL_COLORS && !subsets.has(masksFolder(subset))) continue;
    throw new FormatError(
      `CamVid cannot have a subset called ${shown(subset)}, because its files would replace others.`,
    );
  }
}
