import type { AttributeValue } from '../../../shared/annotations/model.js';
import { annotatedFrames, type FramePart, type FrameShape } from './annotated-frames.js';
import { type CocoRle, toCocoMask } from './coco-mask.js';
import { type Dataset, type DatasetFrame, imageName, subsetFolder, groupedBy } from './dataset.js';
import type { AnnotationSource, ExportFormat } from './format.js';
import { LabelNames } from './label-names.js';
import { inPieces } from './text-pieces.js';

/**
 * COCO instances, one file per subset. Rectangles become boxes without segmentation, polygons and ellipses become
 * polygons, and masks become run-length encoded crowds. Polygons of one group with equal properties become one object.
 * The format has no tags, points, polylines, cuboids, skeletons, layers or sources.
 */
export const cocoExport: ExportFormat = {
  info: { name: 'COCO 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' },
  imagePath: (frame, task) => `images/${subsetFolder(task)}/${imageName(frame, task)}`,
  async write(dataset, source, sink) {
    const subsets = groupedBy(dataset.tasks, subsetFolder);
    // A project without frames still has labels.
    if (subsets.size === 0) subsets.set('default', []);
    for (const [subset, tasks] of subsets) {
      const document = instances({ ...dataset, tasks }, source);
      await sink.addFile(`annotations/instances_${subset}.json`, inPieces(document));
    }
  },
};

/** Each file begins with it; the lists are streamed. */
const HEAD = {
  licenses: [{ name: '', id: 0, url: '' }],
  info: { contributor: '', date_created: '', description: '', url: '', version: '', year: '' },
};

async function* instances(dataset: Dataset, source: AnnotationSource): AsyncGenerator<string> {
  const labels = new LabelNames(dataset.labels);
  const categories = dataset.labels.filter((label) => label.parentId === null);
  const categoryIds = new Map(categories.map((label, i) => [label.id, i + 1]));
  yield JSON.stringify(HEAD).slice(0, -1);
  yield `,"categories":${JSON.stringify(categories.map(({ name }, i) => ({ id: i + 1, name, supercategory: '' })))}`;
  yield ',"images":[';
  yield* imageTexts(dataset);
  yield '],"annotations":[';
  let count = 0;
  for await (const objects of frameObjects(annotatedFrames(dataset, source))) {
    let text = '';
    for (const { shape, coco, index } of objects) {
      const annotation = {
        id: ++count,
        image_id: index + 1,
        category_id: categoryIds.get(shape.label_id) ?? 0,
        segmentation: coco.segmentation,
        area: coco.area,
        bbox: coco.bbox,
        iscrowd: coco.iscrowd,
        attributes: cocoAttributes(shape, labels),
      };
      text += (count === 1 ? '\n' : ',\n') + JSON.stringify(annotation);
    }
    yield text;
  }
  yield '\n]}\n';
}

function* imageTexts(dataset: Dataset): Generator<string> {
  let id = 0;
  for (const task of dataset.tasks) {
    for (const frame of task.frames) {
      const { width, height } = frame;
      const urls = { license: 0, flickr_url: '', coco_url: '', date_captured: 0 };
      yield (
        (id++ === 0 ? '\n' : ',\n') + JSON.stringify({ id, width, height, file_name: imageName(frame, task), ...urls })
      );
    }
  }
}

interface CocoObject {
  shape: FrameShape;
  coco: CocoShape;
  index: number;
}

/** Yields the objects of the parts of frames. Grouped polygons come with the last part of their frame. */
async function* frameObjects(parts: AsyncIterable<FramePart>): AsyncGenerator<CocoObject[]> {
  let grouped = new Map<string, FrameShape[]>();
  for await (const { frame, index, last, shapes } of parts) {
    const objects: CocoObject[] = [];
    for (const shape of shapes) {
      if (shape.type === 'polygon' && shape.group) {
        const key = mergeKey(shape);
        const others = grouped.get(key);
        if (others === undefined) grouped.set(key, [shape]);
        else others.push(shape);
        continue;
      }
      const coco = cocoShape(shape, frame);
      if (coco !== undefined) objects.push({ shape, coco, index });
    }
    if (last) {
      for (const members of grouped.values()) objects.push(...united(members, index));
      grouped = new Map();
    }
    yield objects;
  }
}

/** Polygons of one object agree in this key. */
const mergeKey = ({ group, label_id, occluded, track, attributes }: FrameShape): string =>
  JSON.stringify([group, label_id, occluded, track, attributes]);

function united(members: readonly FrameShape[], index: number): CocoObject[] {
  const [shape] = members;
  return shape === undefined ? [] : [{ shape, coco: polygons(members.map(({ points }) => points)), index }];
}

type Bbox = [left: number, top: number, width: number, height: number];

/** The fields of a COCO annotation that depend on the shape. */
interface CocoShape {
  segmentation: number[][] | CocoRle;
  area: number;
  bbox: Bbox;
  iscrowd: 0 | 1;
}

type CocoValue = string | number | boolean;

/** Number of corners of an ellipse's polygon. The error is below a thousandth of the radius. */
const ELLIPSE_CORNERS = 72;

/**
 * @returns undefined for what COCO instances cannot express: points, polylines, cuboids, skeletons, and masks outside
 * the image
 */
function cocoShape(shape: FrameShape, frame: DatasetFrame): CocoShape | undefined {
  const { points } = shape;
  switch (shape.type) {
    case 'rectangle':
      return rectangle(points);
    case 'polygon':
      return polygons([points]);
    case 'ellipse':
      return polygons([ellipsePolygon(points, shape.rotation)]);
    case 'mask': {
      const mask = toCocoMask(points, frame.width, frame.height);
      return mask && { segmentation: mask.rle, area: mask.area, bbox: mask.bbox, iscrowd: 1 };
    }
    case 'points':
    case 'polyline':
    case 'cuboid':
    case 'skeleton':
      return undefined;
  }
}

/** One object of several polygons. */
function polygons(parts: readonly (readonly number[])[]): CocoShape {
  const segmentation = parts.map((part) => part.map(rounded));
  const area = segmentation.reduce((sum, part) => sum + polygonArea(part), 0);
  return { segmentation, area: rounded(area), bbox: extent(segmentation.flat()), iscrowd: 0 };
}

/** The box is unrotated; a rotation is written as an attribute. */
function rectangle(points: readonly number[]): CocoShape {
  const bbox = extent(points.map(rounded));
  return { segmentation: [], area: rounded(bbox[2] * bbox[3]), bbox, iscrowd: 0 };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

function extent(points: readonly number[]): Bbox {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    const [x = 0, y = 0] = [points[i], points[i + 1]];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return [left, top, rounded(right - left), rounded(bottom - top)];
}

/** Half the sum of the cross products of neighbouring corners (the shoelace formula). */
function polygonArea(points: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < points.length; i += 2) {
    const j = (i + 2) % points.length;
    sum += (points[i] ?? 0) * (points[j + 1] ?? 0) - (points[j] ?? 0) * (points[i + 1] ?? 0);
  }
  return Math.abs(sum) / 2;
}

function ellipsePolygon(points: readonly number[], rotation: number): number[] {
  const [cx = 0, cy = 0, right = 0, top = 0] = points;
  const [rx, ry] = [right - cx, cy - top];
  const [cos, sin] = [Math.cos((rotation * Math.PI) / 180), Math.sin((rotation * Math.PI) / 180)];
  return Array.from({ length: ELLIPSE_CORNERS }, (_, i) => {
    const angle = (2 * Math.PI * i) / ELLIPSE_CORNERS;
    const [x, y] = [rx * Math.cos(angle), ry * Math.sin(angle)];
    return [cx + x * cos - y * sin, cy + x * sin + y * cos];
  }).flat();
}

/** The properties that COCO has no field for, written to `attributes`. */
function cocoAttributes(shape: FrameShape, labels: LabelNames): Record<string, CocoValue> {
  const found = Object.fromEntries<CocoValue>(shape.attributes.flatMap((value) => typedValue(value, labels)));
  found['occluded'] = shape.occluded;
  if (shape.type === 'rectangle') found['rotation'] = rounded(shape.rotation);
  if (shape.track !== undefined) found['track_id'] = shape.track;
  return found;
}

/** Checkboxes become booleans and numbers become numbers, if their text is one. */
function typedValue({ spec_id, value }: AttributeValue, labels: LabelNames): [string, CocoValue][] {
  const spec = labels.attribute(spec_id);
  if (spec === undefined) return [];
  if (spec.inputType === 'checkbox' && /^(?:true|false)$/i.test(value))
    return [[spec.name, value.toLowerCase() === 'true']];
  // Only numbers that read back as the same text are written without quotes.
  if (spec.inputType === 'number' && String(Number(value)) === value && Number.isFinite(Number(value))) {
    return [[spec.name, Number(value)]];
  }
  return [[spec.name, value]];
}
