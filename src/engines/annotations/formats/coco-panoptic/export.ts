import { type Bitmap, pixelCount } from '../../../../shared/annotations/mask.js';
import type { FrameShape } from '../annotated-frames.js';
import { HEAD } from '../coco-export.js';
import { type AnnotationSource, type ExportFormat, FormatError, shown } from '../format.js';
import { attributeNamed, shapeAttributes } from '../items/attributes.js';
import { hexColor } from '../items/colors.js';
import { byLayer, type ItemMask } from '../items/conversions.js';
import { bitmapsByValue } from '../items/mask-images.js';
import {
  type AnnotatedItem,
  annotatedItems,
  type DatasetItems,
  itemsWith,
  type SubsetPart,
  subsetParts,
} from '../items/items.js';
import { areaMasks, GRAY_16, paintedPng, paintedRaster, RGB } from '../items/painting.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { colorOf, panopticInfo } from './layout.js';

const itemsOf = itemsWith();

/**
 * COCO's format for panoptic segmentation: every pixel belongs to at most one segment. Whatever has an area becomes a
 * segment, and upper layers cover lower ones.
 */
export const panopticExport: ExportFormat = {
  info: panopticInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = itemsOf(dataset).of(frame);
    return `images/${subset}/${image}`;
  },
  async write(dataset, source, sink) {
    const items = itemsOf(dataset);
    for (const part of subsetParts(dataset, items)) {
      const path = `annotations/panoptic_${part.subset}`;
      const document = documentOf(part, source, items);
      await sink.addFile(`${path}.json`, inPieces(document));
      // Files are written one after the other, so annotations are read once for the list and once for the images.
      for await (const item of annotatedItems(part.dataset, source, items)) {
        const layers = masksOn(item).map(({ bitmap }, at) => ({ bitmap, color: colorOf(at + 1) }));
        if (layers.length > 0) await sink.addFile(`${path}/${item.id}.png`, await paintedPng(item.frame, RGB, layers));
      }
    }
  },
};

interface Segment {
  readonly id: number;
  readonly shape: FrameShape;
  /** The pixels that no upper layer covers. */
  readonly bitmap: Bitmap;
}

const MAX_SEGMENTS = 2 ** 16 - 1;

/** From the lowest to the highest. A segment has the number of its mask, from 1. */
const masksOn = ({ shapes, frame }: AnnotatedItem): ItemMask[] => byLayer(areaMasks(shapes, frame));

function segmentsOf(item: AnnotatedItem): Segment[] {
  const { frame, id } = item;
  const masks = masksOn(item);
  if (masks.length > MAX_SEGMENTS) {
    throw new FormatError(`COCO Panoptic has at most ${MAX_SEGMENTS} segments in an image, but ${shown(id)} has more.`);
  }
  const layers = masks.map(({ bitmap }, at) => ({ bitmap, color: [at + 1] }));
  const { width, height, data } = paintedRaster(frame, GRAY_16, layers);
  const visible = bitmapsByValue({ width, height, values: Uint32Array.from(data) }, id);
  return masks.flatMap(({ shape }, at) => {
    const bitmap = visible.get(at + 1);
    return bitmap === undefined ? [] : [{ id: at + 1, shape, bitmap }];
  });
}

async function* documentOf(
  { dataset, items: members }: SubsetPart,
  source: AnnotationSource,
  items: DatasetItems,
): AsyncGenerator<string> {
  const labels = new LabelNames(dataset.labels);
  const categories = dataset.labels.filter(({ parentId }) => parentId === null);
  const categoryIds = new Map(categories.map(({ id }, at) => [id, at + 1]));
  const imageIds = new Map(members.map(({ frame }, at) => [frame, at + 1]));
  yield JSON.stringify(HEAD).slice(0, -1);
  yield `,"categories":${JSON.stringify(
    categories.map(({ name, color }, at) => ({
      id: at + 1,
      name,
      supercategory: '',
      isthing: 1,
      color: hexColor(color),
    })),
  )},"images":[`;
  for (const [at, { frame, image }] of members.entries()) {
    const { width, height } = frame;
    yield (at === 0 ? '\n' : ',\n') + JSON.stringify({ id: at + 1, width, height, file_name: image });
  }
  yield '],"annotations":[';
  let separator = '\n';
  for await (const item of annotatedItems(dataset, source, items)) {
    const segments = segmentsOf(item);
    if (segments.length === 0) continue;
    yield separator;
    yield JSON.stringify({
      image_id: imageIds.get(item.frame),
      file_name: `${item.id}.png`,
      segments_info: segments.map((segment) => infoOf(segment, categoryIds, labels)),
    });
    separator = ',\n';
  }
  yield '\n]}\n';
}

function infoOf({ id, shape, bitmap }: Segment, categoryIds: ReadonlyMap<number, number>, labels: LabelNames): object {
  const { left, top, width, height } = bitmap;
  const attributes = shapeAttributes(shape, labels);
  const kept = attributes.filter(({ name }) => name !== 'rotation' && name !== 'keyframe');
  return {
    id,
    category_id: categoryIds.get(shape.label_id),
    area: pixelCount(bitmap),
    bbox: [left, top, width, height],
    iscrowd: Number(attributeNamed(attributes, 'is_crowd') === true),
    attributes: Object.fromEntries(kept.map(({ name, value }) => [name, value])),
  };
}
