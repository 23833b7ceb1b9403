import { type DatasetFrame, type DatasetLabel, folderName } from '../dataset.js';
import type { ExportFormat } from '../format.js';
import { attributeNamed, tagAttributes } from '../items/attributes.js';
import { type AnnotatedItem, annotatedItems, decimalText, itemsWith, subsetParts } from '../items/items.js';
import { requireDistinctIds, requireFolders, requireListable } from '../items/names.js';
import { LabelNames } from '../label-names.js';
import { lfwInfo, NO_PERSON, PAIRS } from './layout.js';

const lfwItems = itemsWith();

export const lfwExport: ExportFormat = {
  info: lfwInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = lfwItems(dataset).of(frame);
    return `${subset}/images/${image}`;
  },
  async write(dataset, source, sink) {
    const labels = new LabelNames(dataset.labels);
    const items = lfwItems(dataset);
    requireFolders(lfwInfo.name, dataset.labels, NO_PERSON);
    requireDistinctIds(lfwInfo.name, items);
    requireListable(lfwInfo.name, items, { pattern: /\t/, what: 'a tab' });
    const paths = new Map<DatasetFrame, string>();
    for (const { subset, dataset: part } of subsetParts(dataset, items)) {
      const lists = new LfwLists(dataset.labels);
      for await (const item of annotatedItems(part, source, items)) {
        const [tag] = item.tags;
        const label = tag && labels.get(tag.label_id);
        const folder = label === undefined ? '' : `${folderName(label.name)}/`;
        paths.set(item.frame, `${subset}/images/${folder}${item.image}`);
        lists.add(item, label, tag === undefined ? [] : tagAttributes(tag, labels));
      }
      for (const [name, text] of lists.files()) {
        await sink.addFile(`${subset}/annotations/${name}`, Buffer.from(text));
      }
    }
    return (frame) => [paths.get(frame) ?? []].flat();
  },
};

/** The files of a subset; small, because they have few lines for each image. */
class LfwLists {
  private readonly pairs: string[] = [];
  private readonly single: string[] = [];
  private readonly landmarks: string[] = [];
  private readonly people: Map<number, number>;

  constructor(private readonly labels: readonly DatasetLabel[]) {
    this.people = new Map(labels.map(({ id }) => [id, 0]));
  }

  add(
    { id, shapes }: AnnotatedItem,
    label: DatasetLabel | undefined,
    attributes: ReturnType<typeof tagAttributes>,
  ): void {
    for (const { type, points } of shapes) {
      if (type === 'points') this.landmarks.push([`${id}.jpg`, ...points.map(decimalText)].join('\t'));
    }
    if (label === undefined) {
      this.single.push(id);
      return;
    }
    this.people.set(label.id, (this.people.get(label.id) ?? 0) + 1);
    const person = folderName(label.name);
    const first = [person, columnOf(id, person)];
    const listed = (name: string): string[] => listOf(String(attributeNamed(attributes, name) ?? ''));
    const pairs = [
      ...listed(PAIRS.positive).map((other) => [...first, columnOf(withoutPerson(other, person), person)]),
      ...listed(PAIRS.negative).map((other) => [...first, ...this.nameAndNumber(other)]),
    ];
    if (pairs.length === 0) this.single.push(`${person}/${id}`);
    for (const columns of pairs) this.pairs.push(columns.join('\t'));
  }

  *files(): Generator<[name: string, text: string]> {
    const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
    yield ['pairs.txt', text([...this.pairs, ...this.single])];
    yield ['people.txt', text(this.labels.map(({ id, name }) => `${folderName(name)}\t${this.people.get(id) ?? 0}`))];
    if (this.landmarks.length > 0) yield ['landmarks.txt', text(this.landmarks)];
  }

  private nameAndNumber(image: string): string[] {
    const person = image.slice(0, Math.max(0, image.indexOf('/')));
    return this.labels.some(({ name }) => folderName(name) === person)
      ? [person, columnOf(withoutPerson(image, person), person)]
      : [NO_PERSON, image];
  }
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const withoutPerson = (image: string, person: string): string =>
  image.startsWith(`${person}/`) ? image.slice(person.length + 1) : image;

/** Images that are called after their person have a number: `1` is `Ann_Lee_0001`. */
function columnOf(id: string, person: string): string {
  const number = id.startsWith(`${person}_`) ? /^\d{4}$/.exec(id.slice(person.length + 1)) : null;
  return number === null ? id : String(Number(number[0]));
}
