/** One operation of the document: where it is and its changeable description. */
export interface Operation {
  readonly path: string;
  readonly verb: 'get' | 'head' | 'options' | 'post' | 'put' | 'patch' | 'delete';
  readonly body: OperationBody;
}

export interface OperationBody {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  deprecated?: boolean;
  parameters?: object[];
  requestBody?: object;
  security?: object[];
  responses: Record<string, Response>;
  /** Marks that decorators leave: `x-permission`, `x-unthrottled`, `x-unversioned`, `x-answers`, `x-older-forms`. */
  [mark: `x-${string}`]: unknown;
}

export interface Response {
  description?: string;
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
}

export interface Schema {
  $ref?: string;
  type?: string;
  [key: string]: unknown;
}

/** Adds a sentence to what an operation says of itself. */
export function addSentence(body: OperationBody, sentence: string): void {
  const known = body.description ?? '';
  body.description = known === '' ? sentence : `${known}\n\n${sentence}`;
}
