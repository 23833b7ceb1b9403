import { dump } from 'js-yaml';

export type DocumentFormat = 'json' | 'yaml';

/** Formats a document as JSON with an indent of 4, or as YAML, with a line break at the end. */
export function documentText(document: object, format: DocumentFormat): string {
  return format === 'json'
    ? `${JSON.stringify(document, null, 4)}\n`
    : dump(document, { skipInvalid: true, noRefs: true, lineWidth: 120 });
}
