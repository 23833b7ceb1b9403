import { type DatasetFiles, type FileLocation, refuse } from '../format.js';
import { type JsonObject, listOf, objectOf, parseJson } from '../json-values.js';
import { readSmallText } from '../text-pieces.js';
import { readYaml } from '../yaml.js';

/** The names of numbered classes in each column of labels. */
export interface ClassNames {
  readonly tags: readonly string[] | undefined;
  readonly category: readonly string[] | undefined;
}

/** In characters. */
const MAX_FILE = 2 ** 20;
/** Levels in which class names are looked for: features of lists of objects have about six. */
const MAX_DEPTH = 12;

const README = /(?:^|\/)README\.md$/i;
const DATASET_INFO = /(?:^|\/)dataset_infos?\.json$/;

/** The class names in the dataset card (`README.md`) or in `dataset_info.json`. @throws FormatError */
export async function classNamesOf(files: DatasetFiles): Promise<ClassNames> {
  let names = classNamesIn(undefined);
  for (const path of files.paths.filter((each) => README.test(each) || DATASET_INFO.test(each))) {
    const text = await readSmallText(files.read(path), path, MAX_FILE);
    const content = README.test(path) ? /^---\r?\n(.*?)\r?\n---/s.exec(text)?.[1] : text;
    if (content !== undefined) names = either(names, classNamesIn(parsed(content, path)));
  }
  return names;
}

/** The class names in the features that a Parquet file of the library `datasets` states. @throws FormatError */
export const classNamesInText = (text: string, location: FileLocation): ClassNames =>
  classNamesIn(parsed(text, location));

/** The names of the first that has any. */
export const either = (first: ClassNames, second: ClassNames): ClassNames => ({
  tags: first.tags ?? second.tags,
  category: first.category ?? second.category,
});

/** YAML or JSON. */
function parsed(text: string, location: FileLocation): unknown {
  return text.trimStart().startsWith('{') ? parseJson(text, location) : readYaml(text, location);
}

function classNamesIn(info: unknown): ClassNames {
  const features = firstOf(info, (node) => childNamed(node, 'features')) ?? info;
  const objects = childNamed(features, 'objects');
  const category = firstOf(objects, (node) => childNamed(node, 'category') ?? childNamed(node, 'categories'));
  return { tags: firstOf(childNamed(features, 'tags'), classesOf), category: firstOf(category, classesOf) };
}

/** The value of a key or, in lists of YAML, the entry with this name. */
function childNamed(node: unknown, name: string): unknown {
  if (Array.isArray(node)) return node.find((entry) => isObject(entry) && entry['name'] === name);
  return isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined;
}

/** The first result in a value and everything that it contains, from the outside in. */
function firstOf<T>(node: unknown, find: (node: unknown) => T | undefined, depth = 0): T | undefined {
  const found = find(node);
  if (found !== undefined || typeof node !== 'object' || node === null || depth === MAX_DEPTH) return found;
  for (const inner of Object.values(node)) {
    const deeper = firstOf(inner, find, depth + 1);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** The names of a `ClassLabel`: a list, or an object with numbers as keys. */
function classesOf(node: unknown): string[] | undefined {
  if (!isObject(node)) return undefined;
  const { names } = node['_type'] === 'ClassLabel' ? node : (objectIn(node['class_label']) ?? {});
  const found = objectIn(names) ?? (Array.isArray(names) ? names : undefined);
  if (found === undefined) return undefined;
  const classes: string[] = [];
  for (const [number, name] of Object.entries(found)) {
    if (/^\d{1,6}$/.test(number) && typeof name === 'string') classes[Number(number)] = name;
  }
  return classes;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectIn = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);

/** The row with the names of its classes instead of their numbers. @throws FormatError if a number has no name */
export function withClassNames(row: JsonObject, classes: ClassNames, location: FileLocation): JsonObject {
  const tags = namedCells(row, 'tags', classes.tags, location);
  if (row['objects'] === undefined || row['objects'] === null) return { ...row, ...tags };
  const objects = objectOf(row['objects'], location);
  const column = 'category' in objects ? 'category' : 'categories';
  const category = namedCells(objects, column, classes.category, location);
  return { ...row, ...tags, objects: { ...objects, ...category } };
}

function namedCells(
  columns: JsonObject,
  column: string,
  names: readonly string[] | undefined,
  location: FileLocation,
): JsonObject {
  const cells = listOf(columns[column] ?? [], column, location);
  if (!cells.some((cell) => typeof cell === 'number')) return {};
  const named = cells.map((cell, at) =>
    typeof cell === 'number' ? (names?.[cell] ?? unnamed(cell, names, `${location}, ${column}[${at}]`)) : cell,
  );
  return { [column]: named };
}

function unnamed(number: number, names: readonly string[] | undefined, location: FileLocation): never {
  return names === undefined
    ? refuse(location, `${number} is the number of a class, but the archive does not name the classes. Write names, or add the dataset's README.md or dataset_info.json with a ClassLabel`) // prettier-ignore
    : refuse(location, `there is no class ${number}: the archive names ${names.length} classes`);
}
