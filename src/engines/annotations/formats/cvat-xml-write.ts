import {
  type AttributeValue,
  MASK_BOX,
  type Shape,
  type ShapeElement,
  type ShapeType,
  type Tag,
} from '../../../shared/annotations/model.js';
import type { LabelNames } from './label-names.js';
import { attribute, element, labelledText, type XmlText, textElement as text } from './xml.js';
import {
  type Dataset,
  type DatasetAttribute,
  type DatasetLabel,
  type DatasetHeader,
  type DatasetTask,
  type DatasetUser,
  subsetName,
  groupedBy,
} from './dataset.js';

/** The element names of CVAT XML by type. */
export const SHAPE_ELEMENTS: Readonly<Record<ShapeType, string>> = {
  rectangle: 'box',
  ellipse: 'ellipse',
  polygon: 'polygon',
  polyline: 'polyline',
  points: 'points',
  cuboid: 'cuboid',
  mask: 'mask',
  skeleton: 'skeleton',
};

/** The corners of a cuboid in the order of its points; each has x and y. */
export const CUBOID_CORNERS = ['tl1', 'bl1', 'tr1', 'br1', 'tl2', 'bl2', 'tr2', 'br2'] as const;

/** Numbers in CVAT XML have two decimals. */
const number = (value: number | undefined): string => (value ?? 0).toFixed(2);

export const flag = (value: boolean): '0' | '1' => (value ? '1' : '0');

/** Coordinates as attributes of an element. */
export function geometryAttributes(shape: Pick<Shape, 'type' | 'points' | 'rotation'>): string {
  const { type, points } = shape;
  const rotation = shape.rotation === 0 ? '' : ` rotation="${number(shape.rotation)}"`;
  const [a = 0, b = 0, c = 0, d = 0] = points;
  switch (type) {
    case 'rectangle':
      return ` xtl="${number(a)}" ytl="${number(b)}" xbr="${number(c)}" ybr="${number(d)}"${rotation}`;
    case 'ellipse':
      return ` cx="${number(a)}" cy="${number(b)}" rx="${number(c - a)}" ry="${number(b - d)}"${rotation}`;
    case 'cuboid':
      return cuboidAttributes(points);
    case 'mask':
      return maskAttributes(points);
    case 'skeleton':
      return '';
    case 'polygon':
    case 'polyline':
    case 'points':
      return ` points="${pairs(points)}"`;
  }
}

function pairs(points: readonly number[]): string {
  let text = '';
  for (let i = 0; i < points.length; i += 2) {
    text += `${i === 0 ? '' : ';'}${number(points[i])},${number(points[i + 1])}`;
  }
  return text;
}

const cuboidAttributes = (points: readonly number[]): string =>
  CUBOID_CORNERS.map((at, i) => ` x${at}="${number(points[2 * i])}" y${at}="${number(points[2 * i + 1])}"`).join('');

function maskAttributes(points: readonly number[]): string {
  const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-MASK_BOX);
  const rle = points.slice(0, -MASK_BOX).join(', ');
  return ` rle="${rle}" left="${left}" top="${top}" width="${right - left + 1}" height="${bottom - top + 1}"`;
}

/** The element of a single shape within an image. */
export function imageShape(shape: Shape, labels: LabelNames): XmlText {
  const attributes =
    labelAttributes(shape, labels) +
    attribute('occluded', flag(shape.occluded)) +
    geometryAttributes(shape) +
    attribute('z_order', shape.z_order) +
    groupAttribute(shape.group);
  const parts = shape.elements.map((part) => skeletonElement(part, labels));
  return element(SHAPE_ELEMENTS[shape.type], attributes, [...parts, ...valueElements(shape.attributes, labels)]);
}

function skeletonElement(part: ShapeElement, labels: LabelNames): XmlText {
  const attributes =
    labelAttributes(part, labels) +
    attribute('outside', flag(part.outside)) +
    attribute('occluded', flag(part.occluded)) +
    geometryAttributes(part) +
    attribute('z_order', part.z_order);
  return element(SHAPE_ELEMENTS[part.type], attributes, valueElements(part.attributes, labels));
}

/** The element of a tag within an image. */
export const imageTag = (tag: Tag, labels: LabelNames): XmlText =>
  element('tag', labelAttributes(tag, labels) + groupAttribute(tag.group), valueElements(tag.attributes, labels));

export const labelAttributes = ({ label_id, source }: Pick<Tag, 'label_id' | 'source'>, labels: LabelNames): string =>
  attribute('label', labels.get(label_id).name) + attribute('source', source);

export const groupAttribute = (group: number | null): string => (group ? attribute('group_id', group) : '');

/** The attribute values of an annotation. Skips attributes that its label no longer has. */
export const valueElements = (values: readonly AttributeValue[], labels: LabelNames): XmlText[] =>
  values.flatMap(({ spec_id, value }) => {
    const name = labels.attribute(spec_id)?.name;
    return name === undefined ? [] : [labelledText('attribute', attribute('name', name), value)];
  });

/** The head of CVAT XML: the version, and the source of the annotations. */
export function cvatMeta(dataset: Dataset): XmlText[] {
  const { kind, labels } = dataset;
  const about =
    kind === 'project' ? projectMeta(dataset) : taskMeta({ ...onlyTask(dataset), ...header(dataset) }, labels);
  return [
    text('version', '1.1'),
    element('meta', '', [element(kind, '', about), text('dumped', dateText(dataset.dumped))]),
  ];
}

function onlyTask(dataset: Dataset): DatasetTask {
  const [task] = dataset.tasks;
  if (task === undefined) throw new Error(`A dataset of a ${dataset.kind} needs its task`);
  return task;
}

const header = ({ id, name, bugTracker, created, updated, owner, assignee }: Dataset): DatasetHeader => ({
  id,
  name,
  bugTracker,
  created,
  updated,
  owner,
  assignee,
});

function projectMeta(dataset: Dataset): XmlText[] {
  return [
    ...nameMeta(dataset),
    ...dateMeta(dataset),
    list(
      'tasks',
      dataset.tasks.map((task) => element('task', '', taskMeta(task))),
    ),
    text('subsets', [...groupedBy(dataset.tasks, subsetName).keys()].join('\n')),
    ...userMeta(dataset),
    labelsMeta(dataset.labels),
  ];
}

function taskMeta(task: DatasetTask, labels?: readonly DatasetLabel[]): XmlText[] {
  const { bugTracker, ...named } = task;
  return [
    text('id', named.id),
    text('name', named.name),
    text('size', task.size),
    text('mode', task.mode),
    text('overlap', task.overlap),
    text('bugtracker', bugTracker),
    ...dateMeta(task),
    text('subset', subsetName(task)),
    text('start_frame', task.startFrame),
    text('stop_frame', task.stopFrame),
    text('frame_filter', task.frameFilter),
    list(
      'segments',
      task.segments.map(({ id, start, stop, url }) =>
        element('segment', '', [text('id', id), text('start', start), text('stop', stop), text('url', url)]),
      ),
    ),
    ...userMeta(task),
    ...(labels === undefined ? [] : [labelsMeta(labels)]),
    ...videoMeta(task),
  ];
}

const nameMeta = ({ id, name, bugTracker }: DatasetHeader): XmlText[] => [
  text('id', id),
  text('name', name),
  text('bugtracker', bugTracker),
];

const dateMeta = ({ created, updated }: DatasetHeader): XmlText[] => [
  text('created', dateText(created)),
  text('updated', dateText(updated)),
];

const userMeta = ({ owner, assignee }: DatasetHeader): XmlText[] => [user('owner', owner), user('assignee', assignee)];

const user = (name: string, person: DatasetUser | null): XmlText =>
  person === null
    ? text(name, '')
    : element(name, '', [text('username', person.username), text('email', person.email)]);

const list = (name: string, children: readonly XmlText[]): XmlText => element(name, '', children);

/** All frames of a video have one size; images have their own. */
function videoMeta({ video, frames: [frame] }: DatasetTask): XmlText[] {
  if (video === null) return [];
  const size =
    frame === undefined
      ? []
      : [element('original_size', '', [text('width', frame.width), text('height', frame.height)])];
  return [...size, text('source', video)];
}

/** The elements of a skeleton follow it and name it as their parent. */
function labelsMeta(labels: readonly DatasetLabel[]): XmlText {
  const names = new Map(labels.map((label) => [label.id, label.name]));
  const meta = ({ name, color, type, attributes, svg, parentId }: DatasetLabel): XmlText =>
    list('label', [
      text('name', name),
      text('color', color),
      text('type', type),
      list('attributes', attributes.map(attributeMeta)),
      ...(svg === '' ? [] : [text('svg', svg)]),
      ...(parentId === null ? [] : [text('parent', names.get(parentId) ?? '')]),
    ]);
  return list('labels', labels.map(meta));
}

const attributeMeta = ({ name, mutable, inputType, defaultValue, values }: DatasetAttribute): XmlText =>
  list('attribute', [
    text('name', name),
    text('mutable', mutable ? 'True' : 'False'),
    text('input_type', inputType),
    text('default_value', defaultValue),
    text('values', values.join('\n')),
  ]);

/** Format: `2026-11-21 08:33:37.892000+00:00`. */
function dateText(date: Date): string {
  return date.toISOString().replace('T', ' ').replace('Z', '000+00:00');
}
