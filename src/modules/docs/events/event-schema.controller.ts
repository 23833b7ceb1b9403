import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../../core/access/scope.decorator.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { Invalid, NotFound } from '../../../core/http/errors/errors.js';
import { API_VERSIONS, LATEST_VERSION } from '../../../core/versioning/accept.js';
import { Unversioned } from '../../../core/versioning/version.guard.js';
import { ApiDocument, type DocumentFormat, documentText } from '../openapi/api-document.js';
import { asyncDocument, payloadJsonSchema } from './async-document.js';
import { payloadSchemas } from './event-schemas.js';

const CONTENT = { schema: { type: 'object', additionalProperties: true } } as const;
const TYPES: Readonly<Record<DocumentFormat, string>> = {
  json: 'application/vnd.aai.asyncapi+json',
  yaml: 'application/vnd.aai.asyncapi+yaml',
};

/** Machine-readable descriptions of what webhooks send. */
@ApiTags('schema')
@Controller('api')
@Unversioned()
export class EventSchemaController {
  constructor(private readonly document: ApiDocument) {}

  @Get('asyncapi')
  @Public()
  @ApiOperation({ summary: 'Get the AsyncAPI 3 document of what webhooks send' })
  @ApiErrors(400)
  @ApiQuery({ name: 'scheme', required: false, enum: ['json', 'yaml'] })
  @ApiOkResponse({
    description: 'The AsyncAPI document',
    content: Object.fromEntries(Object.values(TYPES).map((type) => [type, CONTENT])),
  })
  asyncapi(@Query('scheme') scheme: unknown = 'json', @Res() response: Response): void {
    if (scheme !== 'json' && scheme !== 'yaml') throw new Invalid({ scheme: ['Choose json or yaml.'] });
    response.setHeader('Content-Type', TYPES[scheme]);
    response.end(documentText(asyncDocument(this.document.get()), scheme));
  }

  @Get('webhooks/events/:event/schema')
  @Public()
  @ApiOperation({ summary: 'Get the JSON Schema of the payload of an event' })
  @ApiErrors(400)
  @ApiParam({ name: 'event', schema: { type: 'string' }, example: 'update:task' })
  @ApiQuery({ name: 'version', required: false, enum: API_VERSIONS, description: 'API version. Default: the newest' })
  @ApiOkResponse({
    description: 'A JSON Schema without external references',
    content: { 'application/schema+json': CONTENT },
  })
  schema(
    @Param('event') event: string,
    @Query('version') version: unknown = LATEST_VERSION,
    @Res() response: Response,
  ): void {
    const payload = payloadSchemas().find((known) => known.event === event);
    if (payload === undefined) throw new NotFound();
    const known = API_VERSIONS.find((one) => one === version);
    if (known === undefined) throw new Invalid({ version: [`"${String(version)}" is not a valid choice.`] });
    response.setHeader('Content-Type', 'application/schema+json');
    response.end(`${JSON.stringify(payloadJsonSchema(payload, known, this.document.get()), null, 2)}\n`);
  }
}
