import type { AttributeValue } from '../../../shared/annotations/model.js';
import { annotatedFrames, type FramePart, type FrameShape } from './annotated-frames.js';
import { cocoGroup, cocoShape, type CocoShape, rounded } from './coco-shapes.js';
import { type Dataset, imageName, subsetFolder, groupedBy } from './dataset.js';
import type { AnnotationSource, ExportFormat } from './format.js';
import { LabelNames } from './label-names.js';
import { inPieces } from './text-pieces.js';

/**
 * COCO instances, one file per subset. Rectangles become boxes without segmentation, polygons and ellipses become
 * polygons, and masks become run-length encoded crowds. The shapes of a group become one object.
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
export const HEAD = {
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

/** Yields the objects of the parts of frames. Those of groups come with the last part of their frame. */
async function* frameObjects(parts: AsyncIterable<FramePart>): AsyncGenerator<CocoObject[]> {
  let grouped = new Map<number, FrameShape[]>();
  for await (const { frame, index, last, shapes } of parts) {
    const objects: CocoObject[] = [];
    for (const shape of shapes) {
      if (shape.group) {
        const others = grouped.get(shape.group);
        if (others === undefined) grouped.set(shape.group, [shape]);
        else others.push(shape);
        continue;
      }
      const coco = cocoShape(shape, frame);
      if (coco !== undefined) objects.push({ shape, coco, index });
    }
    if (last) {
      for (const members of grouped.values()) {
        const group = cocoGroup(members, frame);
        if (group !== undefined) objects.push({ ...group, index });
      }
      grouped = new Map();
    }
    yield objects;
  }
}

type CocoValue = string | number | boolean;

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
