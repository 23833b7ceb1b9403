import {
  Controller,
  Delete,
  Head,
  HttpCode,
  Options,
  Param,
  Patch,
  Post,
  Req,
  Res,
  Inject,
  Injectable,
} from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ensureFolder } from '../../../core/ensure-folder.js';
import { DatabaseUnavailable } from '../../../core/database/database-client.js';
import { MediaStorage } from '../../../core/media-storage/media-storage.js';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import { ApiTextErrors } from '../../../core/http/errors/api-errors.js';
import { isForm, readJsonObject, validated } from '../../../core/http/body/body.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { CONFIG, type Config } from '../../../config/config.js';
import { FramesAhead } from '../frames-ahead.js';
import { MediaFolders, uploadedKey } from '../media-files.js';
import { readFormFields } from '../../../core/http/body/form-fields.js';
import { discardFiles, readMultipart, type SentFile } from '../../../core/http/body/multipart.js';
import { ApiQueued, DataParametersDto, readDataParameters, RequestIdDto, UploadedFilesDto } from './data-parameters.js';
import { TaskDataService } from './task-data.service.js';
import { TusEndpoint, TusService } from './tus.js';

/** The parameters and files of one request. */
interface SentBody {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly files: readonly SentFile[];
}

/** Files sent to a bucket concurrently. */
const FILES_AT_A_TIME = 16;

const isClientFile = (field: string): boolean => /^client_files(\[\d{1,9}\])?$/.test(field);

/** Reads requests with task data, as JSON or as a form with files. */
@Injectable()
export class BodyReader {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly storage: MediaStorage,
    private readonly folders: MediaFolders,
    private readonly ahead: FramesAhead,
  ) {}

  /**
   * Reads the body, stores its files and passes it to `use`. If that fails, deletes the files. After a lost commit they may
   * belong to the task, so they are kept; housekeeping deletes them if not.
   * @throws ApiError 400, 413, UnsupportedMediaType
   */
  async with<T>(request: Request, response: Response, use: (body: SentBody) => Promise<T>): Promise<T> {
    const body = await this.read(request, response);
    try {
      return await use(body);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable))
        await this.folders.removeUploads(body.files.map(({ fileId }) => fileId));
      throw error;
    }
  }

  private async read(request: Request, response: Response): Promise<SentBody> {
    if (isForm(request)) return this.readForm(request);
    return { parameters: await readJsonObject(request, response), files: [] };
  }

  private async readForm(request: Request): Promise<SentBody> {
    const { limits } = this.config;
    const folder = await ensureFolder(await this.storage.workPath('uploads'));
    const isFinal = await this.storage.writesFolder();
    const { fields, files } = await readMultipart(request, {
      folder,
      newId: randomUUID,
      isFile: isClientFile,
      onFile: ({ name, fileId }) => (isFinal ? this.ahead.take(join(folder, fileId), name) : undefined),
      maxFileBytes: limits.uploadBytes,
      maxFieldBytes: limits.jsonBytes,
    });
    await this.keep(folder, files);
    return { parameters: readFormFields(fields), files };
  }

  private async keep(folder: string, files: readonly SentFile[]): Promise<void> {
    try {
      await mapBounded(files, FILES_AT_A_TIME, ({ fileId }) =>
        this.storage.keep(uploadedKey(fileId), join(folder, fileId)),
      );
    } catch (error) {
      await discardFiles(folder, files);
      await this.folders.removeUploads(files.map(({ fileId }) => fileId)).catch(() => undefined); // they will expire
      throw error;
    }
  }
}

/** With and without a trailing slash; the router removes one slash. */
const COLLECTION = [':id/data', ':id/data//'];
const ITEM = ':id/data/:fileId';
/** Separate from the collection, since clients rely on its `Allow` header. */
const UPLOADS = ':id/data/uploads';

@ApiTags('tasks')
@Controller('api/tasks')
export class TaskDataController {
  constructor(
    private readonly data: TaskDataService,
    private readonly tus: TusService,
    private readonly endpoint: TusEndpoint,
    private readonly bodies: BodyReader,
  ) {}

  @Post(COLLECTION)
  @Scope('task:upload:data')
  @ApiOperation({
    summary: 'Upload the data of a task',
    description:
      'Without Upload headers: files and parameters in one request. In several requests: Upload-Start, then any number of ' +
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
  @ApiResponse({ status: 200, description: 'The files are stored (Upload-Multiple)' })
  @ApiResponse({ status: 201, description: 'A resumable upload is created (Upload-Length). Location is its URL.' })
  @ApiQueued('Processing is queued')
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

  @Delete(UPLOADS)
  @HttpCode(204)
  @Scope('task:upload:data')
  @ApiOperation({
    summary: 'Discard the uploaded files',
    description:
      'Deletes all complete and incomplete uploads of the requester to a task without frames, so that other files can be ' +
      'uploaded instead. Not in CVAT.',
  })
  @ApiNoContentResponse({ description: 'All uploads of the requester are deleted' })
  async discard(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    await this.data.requireOpen(actor, id);
    await this.tus.discard(actor, id);
  }

  @Options(COLLECTION)
  @ApiParam({ name: 'id', schema: { type: 'integer' } })
  @HttpCode(204)
  @Scope('server:view')
  @ApiOperation({ summary: 'Get the capabilities of resumable uploads' })
  @ApiNoContentResponse({ description: 'Get the capabilities of resumable uploads' })
  discover(@Res({ passthrough: true }) response: Response): void {
    this.endpoint.discover(response);
  }

  @Head(ITEM)
  @Scope('task:upload:data')
  @ApiOperation({ summary: 'Get the offset of a resumable upload' })
  @ApiOkResponse({ description: 'Upload-Offset is the number of bytes received so far' })
  async state(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('fileId') key: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.endpoint.state(response, () => this.tus.state(actor, id, key));
  }

  @Patch(ITEM)
  @HttpCode(204)
  @Scope('task:upload:data')
  @ApiOperation({ summary: 'Send a chunk of a resumable upload' })
  @ApiConsumes('application/offset+octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiHeader({ name: 'Upload-Offset', required: false })
  @ApiNoContentResponse({ description: 'The chunk is stored; Upload-Offset is the number of bytes received so far' })
  async append(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('fileId') key: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.endpoint.append(request, response, (offset) => this.tus.append(actor, id, key, offset, request));
  }

  private async start(actor: Actor, id: number, response: Response): Promise<undefined> {
    await this.data.start(actor, id);
    response.status(202);
  }

  private async announce(actor: Actor, id: number, request: Request, response: Response): Promise<undefined> {
    const collection = `${actor.baseUrl}/api/tasks/${id}/data`;
    await this.endpoint.announce({ actor, request, response, collection }, (length, metadata) =>
      this.tus.create(actor, id, length, metadata),
    );
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
}
