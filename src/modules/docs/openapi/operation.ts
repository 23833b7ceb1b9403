import type { OpenAPIObject } from '@nestjs/swagger';

/** An operation of the document, with its mutable description. */
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
  /** Marks set by decorators: `x-permission`, `x-unthrottled`, `x-unversioned`, `x-resource`, `x-older-representations`. */
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

/** Adds a sentence to the description of an operation. */
export function addSentence(body: OperationBody, sentence: string): void {
  const known = body.description ?? '';
  body.description = known === '' ? sentence : `${known}\n\n${sentence}`;
}

export type ComponentsObject = NonNullable<OpenAPIObject['components']>;
