import { posix } from 'node:path';
import type { FrameShape } from '../annotated-frames.js';
import type { Dataset } from '../dataset.js';
import type { AnnotationSource, ExportFormat } from '../format.js';
import { cloudItemsWith, type Cuboid, cuboidOf, isCuboid } from '../items/clouds.js';
import { annotatedItems, type DatasetItem, decimalText } from '../items/items.js';
import { requireListable } from '../items/names.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { attribute, element, INDENT, textElement, xmlOf, type XmlText } from '../xml.js';

const itemsOf = cloudItemsWith(() => '');

/** The format of the KITTI raw recordings: every cuboid of every frame is a tracklet of its own, without attributes. */
export const kittiRawExport: ExportFormat = {
  info: { name: 'Kitti Raw Format 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '3d' },
  imagePath: (frame, _task, dataset) => `velodyne_points/data/${itemsOf(dataset).of(frame).image}`,
  relatedPaths(frame, dataset) {
    const { id } = itemsOf(dataset).of(frame);
    return (frame.related ?? []).map((path, at) => {
      const camera = String(at).padStart(2, '0');
      return `image_${camera}/data/${id}${posix.extname(path).toLowerCase()}`;
    });
  },
  async write(dataset, source, sink) {
    requireListable(kittiRawExport.info.name, itemsOf(dataset));
    const count = await cuboidCount(dataset, source);
    await sink.addFile('tracklet_labels.xml', inPieces(documentOf(dataset, source, count)));
    await sink.addFile('frame_list.txt', inPieces(frameList(itemsOf(dataset).all)));
  },
};

/** The file begins with the number of cuboids, so they are read twice. */
async function cuboidCount(dataset: Dataset, source: AnnotationSource): Promise<number> {
  let count = 0;
  for await (const { shapes } of annotatedItems(dataset, source, itemsOf(dataset)))
    count += shapes.filter(isCuboid).length;
  return count;
}

async function* frameList(items: readonly DatasetItem[]): AsyncGenerator<string> {
  for (const { index, id } of items) yield `${index} ${id}\n`;
}

async function* documentOf(dataset: Dataset, source: AnnotationSource, count: number): AsyncGenerator<string> {
  const labels = new LabelNames(dataset.labels);
  yield '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<!DOCTYPE boost_serialization>\n';
  yield '<boost_serialization version="9" signature="serialization::archive">\n';
  yield `<tracklets${version(0, 0)}>\n`;
  yield xmlOf([textElement('count', count), textElement('item_version', 1)], INDENT);
  let isFirst = true;
  for await (const { index, shapes } of annotatedItems(dataset, source, itemsOf(dataset))) {
    for (const shape of shapes.filter(isCuboid)) {
      const { name } = labels.get(shape.label_id);
      yield tracklet(shape, { name, index, isFirst })(INDENT);
      isFirst = false;
    }
  }
  yield '</tracklets>\n</boost_serialization>';
}

/** Boost's serialization describes a class where it first appears. */
const version = (version: number, classId: number): string =>
  attribute('version', version) + attribute('tracking_level', 0) + attribute('class_id', classId);

function tracklet(
  shape: FrameShape,
  { name, index, isFirst }: { readonly name: string; readonly index: number; readonly isFirst: boolean },
): XmlText {
  const described = (number: number, classId: number): string => (isFirst ? version(number, classId) : '');
  const cuboid = cuboidOf(shape);
  const [width, height, length] = cuboid.scale.map(decimalText);
  return element('item', described(1, 1), [
    textElement('objectType', name),
    textElement('h', height ?? ''),
    textElement('w', width ?? ''),
    textElement('l', length ?? ''),
    textElement('first_frame', index),
    element('poses', described(0, 2), [
      textElement('count', 1),
      textElement('item_version', 0),
      element('item', described(1, 3), pose(cuboid, shape)),
    ]),
    textElement('finished', 1),
  ]);
}

/** What the format stores about the image, which is unknown. */
const UNKNOWN = ['amt_occlusion', 'amt_border_l', 'amt_border_r', 'amt_occlusion_kf', 'amt_border_kf'];
const LABELED_STATE = 2;

const pose = ({ position, rotation }: Cuboid, { occluded, keyframe }: FrameShape): XmlText[] => [
  ...position.map((value, at) => textElement(`t${'xyz'[at]}`, decimalText(value))),
  ...rotation.map((value, at) => textElement(`r${'xyz'[at]}`, decimalText(value))),
  textElement('state', LABELED_STATE),
  textElement('occlusion', Number(occluded)),
  textElement('occlusion_kf', Number(keyframe === true)),
  textElement('truncation', 0),
  ...UNKNOWN.map((name) => textElement(name, -1)),
];
