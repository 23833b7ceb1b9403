import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { OpenAPIObject } from '@nestjs/swagger';
import { toJsonSchema } from '../../src/modules/docs/index.js';

type Json = Readonly<Record<string, unknown>>;

/** A response as sent over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** The content type in the header; undefined if there is none. */
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

interface DescribedResponse {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
  /** The header of requests whose response has no body. */
  readonly 'x-empty-for'?: string;
}

const VERBS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'];

/** Validates responses against the OpenAPI document. A key that the schema does not define is an error, too. */
export class AnswerSchemas {
  private readonly ajv = new Ajv2019({ strict: false, allErrors: true, unicodeRegExp: true });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(private readonly document: OpenAPIObject) {
    addFormats.default(this.ajv);
    this.ajv.addFormat('binary', true);
    this.ajv.addSchema({ $id: 'api', components: jsonSchema(document.components) });
  }

  /** `GET /api/tasks/{id}`, … */
  get operations(): string[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      VERBS.filter((verb) => verb in item).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
  }

  /** Success statuses that an operation documents. */
  successes(operation: string): number[] {
    return Object.keys(this.responses(operation))
      .map(Number)
      .filter((status) => status >= 200 && status < 300);
  }

  /** Differences from the document; empty if there are none. */
  problems(operation: string, answer: WireAnswer): string[] {
    const described = this.responses(operation)[answer.status];
    if (described === undefined) return [`status ${answer.status} is not described: ${shown(answer.bytes)}`];
    const { content } = described.$ref === undefined ? described : this.shared(described.$ref);
    if (answer.bytes.length === 0) {
      return content === undefined || described['x-empty-for'] !== undefined || operation.startsWith('HEAD')
        ? []
        : ['there is no body'];
    }
    const type = answer.type?.replace(/; charset=.*$/, '') ?? 'none';
    const matching = Object.keys(content ?? {}).find((known) => known === type || known === type.replace(/\/.*/, '/*'));
    const schema = matching === undefined ? undefined : content?.[matching]?.schema;
    if (schema === undefined) return [`type "${type}" of status ${answer.status} is not described`];
    return this.mismatches(schema, parsed(type, answer.bytes.toString()));
  }

  private mismatches(schema: Json, body: unknown): string[] {
    const key = JSON.stringify(schema);
    const validate = this.validators.get(key) ?? this.ajv.compile(jsonSchema(schema));
    this.validators.set(key, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  private responses(operation: string): Readonly<Record<string, DescribedResponse>> {
    const [verb = '', path = ''] = operation.split(' ');
    const item = this.document.paths[path] as unknown as Record<
      string,
      { responses: Record<string, DescribedResponse> }
    >;
    return item[verb.toLowerCase()]?.responses ?? {};
  }

  private shared(reference: string): DescribedResponse {
    const name = reference.slice('#/components/responses/'.length);
    return this.document.components?.responses?.[name] as DescribedResponse;
  }
}

const jsonSchema = (value: unknown): object =>
  toJsonSchema(value, { closed: true, reference: (reference) => reference.replace('#/', 'api#/') }) as object;

const shown = (bytes: Buffer): string => bytes.toString('latin1').slice(0, 200);

/** Other types than JSON and YAML are only checked for presence. */
function parsed(type: string, text: string): unknown {
  if (type.includes('json')) return JSON.parse(text);
  return /yaml|openapi/.test(type) ? parse(text) : '';
}
