import { posix } from 'node:path';
import type { DatasetFiles, FoundAttribute, FoundLabel } from './format.js';
import { FoundLabels, requireFew } from './label-names.js';
import { readXml, type XmlElement } from './xml-reader.js';

/** The path of the labels: `annotations/meta/task/labels/label`, or with `job` or `project` instead of `task`. */
const LABEL_PATH = /^annotations\/meta\/(?:task|job|project)\/labels$/;

/** The labels that a CVAT XML file describes or, without a description, those that its annotations use. */
export async function cvatLabels(files: DatasetFiles, path: string): Promise<FoundLabel[]> {
  const described = await describedLabels(files, path);
  return described.length > 0 ? described : usedLabels(files, path);
}

async function describedLabels(files: DatasetFiles, path: string): Promise<FoundLabel[]> {
  const open: string[] = [];
  const elements: XmlElement[] = [];
  for await (const piece of readXml(files.read(path), posix.basename(path), { wholeAt: 5, skip: 'tasks' })) {
    for (const event of piece) {
      if (event.kind === 'open') open.push(event.element.name);
      else if (event.kind === 'whole') {
        if (event.element.name === 'label' && LABEL_PATH.test(open.join('/'))) {
          elements.push(event.element);
          requireFew(elements.length);
        }
      } else if (open.pop() === 'meta') return labelsOf(elements);
    }
  }
  return labelsOf(elements);
}

/** The elements of a skeleton follow it and name it as their parent. */
function labelsOf(elements: readonly XmlElement[]): FoundLabel[] {
  const sublabels = new Map<string, FoundLabel[]>();
  const found: FoundLabel[] = [];
  for (const element of elements) {
    const label = labelOf(element);
    const parent = textOf(element, 'parent');
    if (parent === '') {
      found.push(label);
    } else {
      const others = sublabels.get(parent) ?? [];
      others.push(label);
      sublabels.set(parent, others);
    }
  }
  return found.map((label) => ({ ...label, sublabels: sublabels.get(label.name) ?? [] }));
}

function labelOf(element: XmlElement): FoundLabel {
  const attributes = childrenOf(element, 'attributes').flatMap((list) => childrenOf(list, 'attribute'));
  return {
    name: textOf(element, 'name'),
    color: textOf(element, 'color'),
    type: textOf(element, 'type') || 'any',
    attributes: attributes.map(attributeOf),
    svg: textOf(element, 'svg'),
  };
}

const attributeOf = (element: XmlElement): FoundAttribute => ({
  name: textOf(element, 'name'),
  mutable: textOf(element, 'mutable').toLowerCase() === 'true',
  input_type: textOf(element, 'input_type'),
  default_value: textOf(element, 'default_value'),
  values: textOf(element, 'values').split('\n'),
});

const childrenOf = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((child) => child.name === name);

const textOf = (element: XmlElement, name: string): string => childrenOf(element, name)[0]?.text ?? '';

async function usedLabels(files: DatasetFiles, path: string): Promise<FoundLabel[]> {
  const found = new FoundLabels();
  const take = ({ attributes: { label } }: XmlElement): void => {
    if (label !== undefined) found.add(label);
  };
  for await (const piece of readXml(files.read(path), posix.basename(path), { wholeAt: 3, skip: 'meta' })) {
    for (const event of piece) if (event.kind !== 'close') take(event.element);
  }
  return found.list();
}
