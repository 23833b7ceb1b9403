import {
  type DraftAttribute,
  type DraftLabel,
  INPUT_TYPES,
  isKept,
  LABEL_TYPES,
  newAttribute,
  newLabel,
  toWire,
} from './draft';
import { jsonErrorPosition } from './json-error';

/** @returns labels as JSON, to copy them between projects and to other tools */
export const toJson = (drafts: readonly DraftLabel[]): string =>
  JSON.stringify(
    drafts.filter(isKept).map((draft) => {
      const { key: _key, ...label } = toWire(draft);
      return label;
    }),
    null,
    2,
  );

type Fields = Readonly<Record<string, unknown>>;

/** @throws Error that says what is wrong and where */
export function fromJson(text: string): DraftLabel[] {
  const parsed = parse(text);
  if (!Array.isArray(parsed)) throw new Error('The labels must be a list: [ { "name": "cat" }, … ]');
  return parsed.map((item: unknown, index) => readLabel(item, index));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = jsonErrorPosition(text) ?? { line: 1, column: 1 };
    throw new Error(`This is not valid JSON: error in line ${line}, column ${column}.`, { cause: error });
  }
}

function readLabel(item: unknown, index: number): DraftLabel {
  const path = `[${index}]`;
  const label = asObject(item, path);
  const name = textOf(label, 'name', path);
  if (name === undefined) throw new Error(`${path} has no "name".`);
  const type = choiceOf(label, 'type', [...LABEL_TYPES, 'interval'], path) as DraftLabel['type'] | undefined;
  const id = idOf(label, path);
  const fresh = newLabel(index);
  return {
    ...fresh,
    key: id === undefined ? fresh.key : String(id),
    ...(id === undefined ? {} : { id }),
    name,
    color: textOf(label, 'color', path) ?? fresh.color,
    type: type ?? 'any',
    attributes: readAttributes(label, path),
    sublabels: listOf(label, 'sublabels', path).map((each, at) => {
      const inner = `${path}.sublabels[${at}]`;
      const sublabel = asObject(each, inner);
      const own = textOf(sublabel, 'name', inner);
      if (own === undefined) throw new Error(`${inner} has no "name".`);
      return { name: own, color: textOf(sublabel, 'color', inner), attributes: readAttributes(sublabel, inner) };
    }),
    svg: textOf(label, 'svg', path) ?? '',
  };
}

const readAttributes = (fields: Fields, path: string): DraftAttribute[] =>
  listOf(fields, 'attributes', path).map((each, at) => {
    const inner = `${path}.attributes[${at}]`;
    const attribute = asObject(each, inner);
    const name = textOf(attribute, 'name', inner);
    if (name === undefined) throw new Error(`${inner} has no "name".`);
    const { mutable = false } = attribute;
    if (typeof mutable !== 'boolean') throw new Error(`${inner}.mutable must be true or false.`);
    const input = choiceOf(attribute, 'input_type', INPUT_TYPES, inner) as DraftAttribute['input_type'] | undefined;
    const values = listOf(attribute, 'values', inner).map((value, index) => {
      if (typeof value !== 'string') throw new Error(`${inner}.values[${index}] must be a string.`);
      return value;
    });
    const id = idOf(attribute, inner);
    return {
      ...newAttribute(),
      ...(id === undefined ? {} : { id }),
      name,
      mutable,
      values,
      ...(input === undefined ? {} : { input_type: input }),
      default_value: textOf(attribute, 'default_value', inner) ?? '',
    };
  });

function asObject(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${path} must be an object, such as { "name": "cat" }.`);
  return value as Fields;
}

function textOf(fields: Fields, name: string, path: string): string | undefined {
  const value = fields[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw new Error(`${path}.${name} must be a string.`);
  return value;
}

function listOf(fields: Fields, name: string, path: string): readonly unknown[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value)) throw new Error(`${path}.${name} must be a list.`);
  return value;
}

function idOf(fields: Fields, path: string): number | undefined {
  const id = fields['id'] ?? undefined;
  if (id !== undefined && !Number.isInteger(id)) throw new Error(`${path}.id must be an integer.`);
  return id as number | undefined;
}

function choiceOf(fields: Fields, name: string, choices: readonly string[], path: string): string | undefined {
  const value = textOf(fields, name, path);
  if (value !== undefined && !choices.includes(value))
    throw new Error(`${path}.${name} is "${value}", which is not one of: ${choices.join(', ')}.`);
  return value;
}
