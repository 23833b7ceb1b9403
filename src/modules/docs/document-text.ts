import { dump } from 'js-yaml';

export type DocumentFormat = 'json' | 'yaml';

/** A document as it is served and printed: JSON indented by 4, or YAML. Ends with a line break. */
export function documentText(document: object, format: DocumentFormat): string {
  return format === 'json'
    ? `${JSON.stringify(document, null, 4)}\n`
    : dump(document, { skipInvalid: true, noRefs: true, lineWidth: 120 });
}
