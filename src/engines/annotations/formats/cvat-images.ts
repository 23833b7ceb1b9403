import { annotatedFrames, type FramePart } from './annotated-frames.js';
import { cvatMeta } from './cvat-xml-meta.js';
import { imageShape, imageTag } from './cvat-xml-shapes.js';
import { type Dataset, type DatasetFrame, type DatasetTask, imageName, subsetFolder, subsetName } from './dataset.js';
import type { AnnotationSource, ExportFormat } from './format.js';
import { LabelNames } from './label-names.js';
import { inPieces } from './text-pieces.js';
import { attribute, indent, type XmlText } from './xml-writer.js';

const text = (parts: readonly XmlText[]): string => parts.map(({ xml }) => xml).join('');

/** The first lines of CVAT's XML. */
export const cvatHead = (dataset: Dataset): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n${indent(text(cvatMeta(dataset)))}`;

export const CVAT_TAIL = '</annotations>\n';

/** In archives of projects images stand in a folder of their subset. */
export function cvatImagePath(frame: DatasetFrame, task: DatasetTask, dataset: Dataset): string {
  const name = imageName(frame, task, 'PNG');
  return dataset.kind === 'project' ? `images/${subsetFolder(task)}/${name}` : `images/${name}`;
}

/** CVAT's XML with one element per image; tracks are written as the shapes that they have on each frame. */
export const cvatImages: ExportFormat = {
  info: { name: 'CVAT for images 1.1', ext: 'ZIP', version: '1.1', enabled: true, dimension: '2d' },
  imagePath: cvatImagePath,
  write: (dataset, source, sink) => sink.addFile('annotations.xml', inPieces(document(dataset, source))),
};

async function* document(dataset: Dataset, source: AnnotationSource): AsyncGenerator<string> {
  yield cvatHead(dataset);
  const labels = new LabelNames(dataset.labels);
  for await (const part of annotatedFrames(dataset, source)) yield imageText(part, dataset, labels);
  yield CVAT_TAIL;
}

/** @returns the lines of a frame, or of a part of it */
function imageText(part: FramePart, dataset: Dataset, labels: LabelNames): string {
  const inside = [
    ...part.tags.map((tag) => imageTag(tag, labels)),
    ...part.shapes.map((shape) => imageShape(shape, labels)),
  ];
  const begin = part.first ? `<image${imageAttributes(part, dataset)}>\n` : '';
  const end = part.last ? '</image>\n' : '';
  return indent(begin + indent(text(inside)) + end);
}

/** Within one task an image is known by its number in the source, within a project by a running one. */
function imageAttributes({ task, frame, index }: FramePart, { kind }: Dataset): string {
  const isProject = kind === 'project';
  return (
    attribute('id', isProject ? index : frame.number) +
    attribute('name', frame.name) +
    (isProject ? attribute('subset', subsetName(task)) + attribute('task_id', task.id) : '') +
    attribute('width', frame.width) +
    attribute('height', frame.height)
  );
}
