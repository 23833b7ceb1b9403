const MAX_LENGTH = 1_000;
/** Errors of one refusal that people read. */
const MAX_ERRORS = 3;
const UNKNOWN_LABEL = /^label_id `(\d+)` is invalid$/;

/**
 * Puts the body of a response with status 400 into words, with the path of each wrong field: `shapes.0.score: Ensure …`.
 * @param body a text, or texts in lists and objects of any depth
 */
export function refusalOf(body: unknown): string {
  const found: string[] = [];
  collect(body, [], found);
  const shown = found.slice(0, MAX_ERRORS).join(' ');
  return (found.length > MAX_ERRORS ? `${shown} There are more errors.` : shown).slice(0, MAX_LENGTH);
}

function collect(value: unknown, path: readonly string[], found: string[]): void {
  if (found.length > MAX_ERRORS) return;
  if (typeof value === 'string') {
    found.push(path.length === 0 ? plain(value) : `${path.join('.')}: ${plain(value)}`);
  } else if (Array.isArray(value)) {
    // The position of a text among the errors of one field says nothing, that of an object does.
    value.forEach((one, at) => collect(one, typeof one === 'string' ? path : [...path, String(at)], found));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) collect(one, [...path, key], found);
  }
}

/** A label can be deleted while the agent works. */
const plain = (text: string): string =>
  text.replace(UNKNOWN_LABEL, 'The task has no label with the id $1. It may have been deleted in the meantime.');
