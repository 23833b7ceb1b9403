import { Controller, Head, HttpCode, Inject, Options, Param, Patch, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { validated } from '../../../core/http/body.js';
import { UnsupportedMediaType } from '../../../core/http/errors.js';
import { ApiTextErrors } from '../../../core/http/api-errors.js';
import { IdPipe } from '../../../core/http/id.pipe.js';
import type { Actor } from '../../../policy/actor.js';
import { BodyReader } from './body-reader.js';
import { DataParametersDto } from './data-parameters.dto.js';
import { readDataParameters } from './data-parameters.js';
import { RequestIdDto, UploadedFilesDto } from './upload.dto.js';
import { TaskDataService } from './task-data.service.js';
import { TusService } from './tus.service.js';
import { readByteCount, tusHeaders, uploadKey } from './tus-protocol.js';

/** With and without a slash at the end; the router cuts one slash off. */
const COLLECTION = [':id/data', ':id/data//'];
const ITEM = ':id/data/:fileId';

@ApiTags('tasks')
@Controller('api/tasks')
export class TaskDataController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(TaskDataService) private readonly data: TaskDataService,
    @Inject(TusService) private readonly tus: TusService,
    @Inject(BodyReader) private readonly bodies: BodyReader,
  ) {}

  @Post(COLLECTION)
  @Scope('task:upload:data')
  @ApiOperation({
    summary: 'Send task data',
    description:
      'Without Upload headers: files and parameters at once. In several requests: Upload-Start, then any number of ' +
      'Upload-Multiple (forms with client_files) and of resumable uploads (Upload-Length, TUS 1.0.0), then Upload-Finish ' +
      'with the parameters. Processing is a background request.',
  })
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiHeader({ name: 'Upload-Start', required: false })
  @ApiHeader({ name: 'Upload-Multiple', required: false })
  @ApiHeader({ name: 'Upload-Length', required: false })
  @ApiHeader({ name: 'Upload-Metadata', required: false })
  @ApiHeader({ name: 'Upload-Finish', required: false })
  @ApiBody({ type: DataParametersDto })
  @ApiTextErrors(400, 409, 413)
  @ApiResponse({ status: 200, description: 'Files are kept (Upload-Multiple)' })
  @ApiResponse({ status: 201, description: 'A resumable upload; Location says where (Upload-Length)' })
  @ApiResponse({ status: 202, type: RequestIdDto, description: 'Processing is queued; or, for Upload-Start, nothing' })
  async send(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RequestIdDto | undefined> {
    await this.data.requireOpen(actor, id);
    const has = (header: string): boolean => request.headers[header] !== undefined;
    if (!has('upload-finish')) {
      if (has('upload-start')) return this.start(actor, id, response);
      if (has('upload-length')) return this.announce(actor, id, request, response);
      if (has('upload-multiple')) return this.add(actor, id, request, response);
    }
    return this.finish(actor, id, request, response);
  }

  @Options(COLLECTION)
  @HttpCode(204)
  @Scope('task:upload:data')
  @ApiOperation({ summary: 'What resumable uploads can do' })
  @ApiNoContentResponse({ description: 'What resumable uploads can do' })
  discover(@Res({ passthrough: true }) response: Response): void {
    this.writeTusHeaders(response);
  }

  @Head(ITEM)
  @Scope('task:upload:data')
  @ApiOperation({ summary: 'How far a resumable upload has come' })
  @ApiOkResponse({ description: 'Upload-Offset and Upload-Length of a resumable upload' })
  async state(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('fileId') key: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    this.writeTusHeaders(response);
    const { offset, length } = await this.tus.state(actor, id, key);
    response.setHeader('Upload-Offset', String(offset));
    response.setHeader('Upload-Length', String(length));
  }

  @Patch(ITEM)
  @HttpCode(204)
  @Scope('task:upload:data')
  @ApiOperation({ summary: 'Send a piece of a resumable upload' })
  @ApiConsumes('application/offset+octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiHeader({ name: 'Upload-Offset', required: false })
  @ApiNoContentResponse({ description: 'A piece is kept; Upload-Offset says how far the file has come' })
  async append(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('fileId') key: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    this.writeTusHeaders(response);
    const type = request.headers['content-type'] ?? '';
    if (type !== 'application/offset+octet-stream') throw new UnsupportedMediaType(type);
    const offset = readByteCount('Upload-Offset', request.header('upload-offset') ?? '0', 0);
    const reached = await this.tus.append(actor, id, key, offset, request);
    response.setHeader('Upload-Offset', String(reached));
  }

  private async start(actor: Actor, id: number, response: Response): Promise<undefined> {
    await this.data.start(actor, id);
    response.status(202);
  }

  private async announce(actor: Actor, id: number, request: Request, response: Response): Promise<undefined> {
    this.writeTusHeaders(response);
    const length = readByteCount('Upload-Length', request.header('upload-length'), 1);
    const { fileId, name } = await this.tus.create(actor, id, length, request.header('upload-metadata') ?? '');
    response.status(201);
    response.setHeader('Location', `${actor.baseUrl}/api/tasks/${id}/data/${uploadKey(actor.id, fileId)}`);
    response.setHeader('Upload-Filename', headerText(name));
  }

  private async add(actor: Actor, id: number, request: Request, response: Response): Promise<undefined> {
    await this.bodies.with(request, response, async ({ parameters, files }) => {
      validated(UploadedFilesDto, parameters);
      await this.data.add(actor, id, files);
    });
    response.status(200);
  }

  private async finish(actor: Actor, id: number, request: Request, response: Response): Promise<RequestIdDto> {
    const requestId = await this.bodies.with(request, response, ({ parameters, files }) =>
      this.data.finish(actor, id, readDataParameters(parameters), files),
    );
    response.status(202);
    return { rq_id: requestId };
  }

  private writeTusHeaders(response: Response): void {
    for (const [name, value] of Object.entries(tusHeaders(this.config.limits.uploadBytes)))
      response.setHeader(name, value);
  }
}

/** Node writes headers in Latin-1: the bytes of UTF-8, as other servers send them. */
const headerText = (text: string): string => Buffer.from(text.replace(/[\r\n]/g, ' ')).toString('latin1');
