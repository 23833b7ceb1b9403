import type { OpenAPIObject } from '@nestjs/swagger';
import { dump } from 'js-yaml';

export type DocumentFormat = 'json' | 'yaml';

/** The document as it is served and printed: JSON indented by 4, or YAML. Ends with a line break. */
export function documentText(document: OpenAPIObject, format: DocumentFormat): string {
  return format === 'json'
    ? `${JSON.stringify(document, null, 4)}\n`
    : dump(document, { skipInvalid: true, noRefs: true, lineWidth: 120 });
}
