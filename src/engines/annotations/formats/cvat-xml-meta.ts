import {
  type Dataset,
  type DatasetAttribute,
  type DatasetLabel,
  type DatasetHeader,
  type DatasetTask,
  type DatasetUser,
  subsetName,
  tasksBy,
} from './dataset.js';
import { element, textElement as text, type XmlText } from './xml-writer.js';

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
    text('subsets', [...tasksBy(subsetName, dataset.tasks).keys()].join('\n')),
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
