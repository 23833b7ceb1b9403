import { annotatedFrames, type FramePart, type FrameShape } from './annotated-frames.js';
import { cocoAttributes, cocoShape, type CocoShape, polygons } from './coco-annotation.js';
import { type Dataset, imageName, subsetFolder, tasksBy } from './dataset.js';
import type { AnnotationSource, ExportFormat } from './format.js';
import { LabelNames } from './label-names.js';
import { inPieces } from './text-pieces.js';

/**
 * COCO's instances, one file per subset. Rectangles are boxes without segmentation, polygons and ellipses polygons,
 * masks run lengths of crowds. Polygons of one group that are alike otherwise are one object. There is no place for
 * tags, points, polylines, cuboids, skeletons, layers and sources.
 */
export const cocoExport: ExportFormat = {
  info: { name: 'COCO 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' },
  imagePath: (frame, task) => `images/${subsetFolder(task)}/${imageName(frame, task)}`,
  async write(dataset, source, sink) {
    const subsets = tasksBy(subsetFolder, dataset.tasks);
    // A project without frames has labels all the same.
    if (subsets.size === 0) subsets.set('default', []);
    for (const [subset, tasks] of subsets) {
      const document = instances({ ...dataset, tasks }, source);
      await sink.addFile(`annotations/instances_${subset}.json`, inPieces(document));
    }
  },
};

/** Lists begin with it; they are filled piece by piece. */
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

/** The objects of the parts of frames; polygons of groups come with the last part of their frame. */
async function* frameObjects(parts: AsyncIterable<FramePart>): AsyncGenerator<CocoObject[]> {
  let grouped = new Map<string, FrameShape[]>();
  for await (const { frame, index, last, shapes } of parts) {
    const objects: CocoObject[] = [];
    for (const shape of shapes) {
      if (shape.type === 'polygon' && shape.group) {
        const key = likeness(shape);
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

/** What polygons of one object have in common. */
const likeness = ({ group, label_id, occluded, track, attributes }: FrameShape): string =>
  JSON.stringify([group, label_id, occluded, track, attributes]);

function united(members: readonly FrameShape[], index: number): CocoObject[] {
  const [shape] = members;
  return shape === undefined ? [] : [{ shape, coco: polygons(members.map(({ points }) => points)), index }];
}
