import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../core/access/scope.decorator.js';
import { slashed } from '../../../core/http/trailing-slash.js';
import { LATEST_VERSION } from '../../../core/versioning/accept.js';
import { Unversioned } from '../../../core/versioning/version.guard.js';
import { API_TITLE, ApiDocument } from './api-document.js';
import { type DocumentFormat, documentText } from './document-text.js';

/** The types that `Accept` can select, in order of preference. */
const TYPES: Readonly<Record<DocumentFormat, readonly string[]>> = {
  yaml: ['application/vnd.oai.openapi', 'application/yaml'],
  json: ['application/vnd.oai.openapi+json', 'application/json'],
};
const CONTENT = { schema: { type: 'object', additionalProperties: true } } as const;

@ApiTags('schema')
@Controller('api')
@Unversioned()
export class SchemaController {
  private readonly texts = new Map<DocumentFormat, string>();

  constructor(private readonly document: ApiDocument) {}

  @Get(slashed('schema'))
  @Public()
  @ApiOperation({
    summary: 'Get this document',
    description: '`scheme` selects the format. The default is that of `Accept`, otherwise YAML.',
  })
  @ApiQuery({ name: 'scheme', required: false, enum: ['json', 'yaml'] })
  @ApiOkResponse({
    description: 'The OpenAPI document',
    content: Object.fromEntries([...TYPES.yaml, ...TYPES.json].map((type) => [type, CONTENT])),
  })
  @ApiNotFoundResponse({ description: 'Unknown format', content: { 'application/vnd.oai.openapi': CONTENT } })
  schema(@Query('scheme') scheme: unknown, @Req() request: Request, @Res() response: Response): void {
    if (scheme !== undefined && scheme !== 'json' && scheme !== 'yaml') return refuse(response, 404, 'Not found.');
    const type = request.accepts(scheme === undefined ? [...TYPES.yaml, ...TYPES.json] : [...TYPES[scheme]]);
    if (type === false) return refuse(response, 406, 'Could not satisfy the request Accept header.');
    const format = TYPES.json.includes(type) ? 'json' : 'yaml';
    response.setHeader('Content-Type', format === 'yaml' ? `${type}; charset=utf-8` : type);
    response.setHeader('Content-Disposition', `inline; filename="${API_TITLE} (${LATEST_VERSION}).${format}"`);
    response.end(this.text(format));
  }

  private text(format: DocumentFormat): string {
    const known = this.texts.get(format) ?? documentText(this.document.get(), format);
    this.texts.set(format, known);
    return known;
  }
}

/** The errors of this route are also YAML. */
function refuse(response: Response, status: number, detail: string): void {
  response.status(status).setHeader('Content-Type', 'application/vnd.oai.openapi; charset=utf-8');
  response.end(`detail: ${detail}\n`);
}
