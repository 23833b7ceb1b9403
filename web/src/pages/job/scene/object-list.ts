import type { SceneObject } from './scene';

/** Objects get their number when they are saved. */
export const numberOf = (id: number): string => (id === 0 ? 'new' : `#${id}`);

/** The selected objects in the order of the list. */
export function selectedAmong(
  shown: readonly { readonly object: SceneObject }[],
  selected: readonly string[],
): readonly SceneObject[] {
  if (selected.length === 0) return [];
  const keys = new Set(selected);
  return shown.flatMap(({ object }) => (keys.has(object.key) ? object : []));
}

/**
 * Searches objects. Each word must occur in the name of the label, the type, the ID (`#12`) or an attribute.
 */
export function searchObjects(objects: readonly SceneObject[], search: string): readonly SceneObject[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return objects;
  return objects.filter((object) => {
    const text = textOf(object);
    return words.every((word) => text.includes(word));
  });
}

function textOf({ labelName, kind, type, id, source, occluded, outside, attributes }: SceneObject): string {
  const states = [...(occluded ? ['occluded'] : []), ...(outside ? ['outside'] : [])];
  const values = attributes.map(({ name, value }) => `${name}:${value}`);
  return [labelName, kind, type, `#${id}`, source, ...states, ...values].join('\n').toLowerCase();
}
