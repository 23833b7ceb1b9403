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
import { jsonErrorPlace } from './json-error';

/** Labels as text, as they are exchanged between projects and with other tools. */
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

/** @throws Error that says what is wrong with the text, and where */
export function fromJson(text: string): DraftLabel[] {
  const parsed = parse(text);
  if (!Array.isArray(parsed)) throw new Error('The labels are a list: [ { "name": "cat" }, … ]');
  return parsed.map((item: unknown, index) => readLabel(item, index));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = jsonErrorPlace(text) ?? { line: 1, column: 1 };
    throw new Error(`This is no JSON from line ${line}, column ${column} on.`, { cause: error });
  }
}

function readLabel(item: unknown, index: number): DraftLabel {
  const place = `[${index}]`;
  const label = asObject(item, place);
  const name = textOf(label, 'name', place);
  if (name === undefined) throw new Error(`${place} has no "name".`);
  const type = choiceOf(label, 'type', [...LABEL_TYPES, 'interval'], place) as DraftLabel['type'] | undefined;
  const id = idOf(label, place);
  const fresh = newLabel(index);
  return {
    ...fresh,
    key: id === undefined ? fresh.key : String(id),
    ...(id === undefined ? {} : { id }),
    name,
    color: textOf(label, 'color', place) ?? fresh.color,
    type: type ?? 'any',
    attributes: readAttributes(label, place),
    sublabels: listOf(label, 'sublabels', place).map((each, at) => {
      const inner = `${place}.sublabels[${at}]`;
      const sublabel = asObject(each, inner);
      const own = textOf(sublabel, 'name', inner);
      if (own === undefined) throw new Error(`${inner} has no "name".`);
      return { name: own, color: textOf(sublabel, 'color', inner), attributes: readAttributes(sublabel, inner) };
    }),
    svg: textOf(label, 'svg', place) ?? '',
  };
}

const readAttributes = (fields: Fields, place: string): DraftAttribute[] =>
  listOf(fields, 'attributes', place).map((each, at) => {
    const inner = `${place}.attributes[${at}]`;
    const attribute = asObject(each, inner);
    const name = textOf(attribute, 'name', inner);
    if (name === undefined) throw new Error(`${inner} has no "name".`);
    const { mutable = false } = attribute;
    if (typeof mutable !== 'boolean') throw new Error(`${inner}.mutable is neither true nor false.`);
    const input = choiceOf(attribute, 'input_type', INPUT_TYPES, inner) as DraftAttribute['input_type'] | undefined;
    const values = listOf(attribute, 'values', inner).map((value, index) => {
      if (typeof value !== 'string') throw new Error(`${inner}.values[${index}] is no text.`);
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

function asObject(value: unknown, place: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${place} is no object, such as { "name": "cat" }.`);
  return value as Fields;
}

function textOf(fields: Fields, name: string, place: string): string | undefined {
  const value = fields[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw new Error(`${place}.${name} is no text.`);
  return value;
}

function listOf(fields: Fields, name: string, place: string): readonly unknown[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value)) throw new Error(`${place}.${name} is no list.`);
  return value;
}

function idOf(fields: Fields, place: string): number | undefined {
  const id = fields['id'] ?? undefined;
  if (id !== undefined && !Number.isInteger(id)) throw new Error(`${place}.id is no whole number.`);
  return id as number | undefined;
}

function choiceOf(fields: Fields, name: string, choices: readonly string[], place: string): string | undefined {
  const value = textOf(fields, name, place);
  if (value !== undefined && !choices.includes(value))
    throw new Error(`${place}.${name} is "${value}", which is none of: ${choices.join(', ')}.`);
  return value;
}
