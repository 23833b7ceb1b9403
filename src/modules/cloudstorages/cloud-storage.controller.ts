import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
  type Type,
} from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { ApiMissing, ApiTextErrors } from '../../core/http/errors/api-errors.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { CONFIG, type Config } from '../../config/config.js';
import { isForm, readJsonObject, Unvalidated } from '../../core/http/body/body.js';
import { escapeHtml, Invalid, PlainError } from '../../core/http/errors/errors.js';
import { readFormFields } from '../../core/http/body/form-fields.js';
import { readMultipart } from '../../core/http/body/multipart.js';
import { CloudStorageContent } from './cloud-storage-content.js';
import {
  CloudStorageContentDto,
  CloudStorageDto,
  CreateCloudStorageDto,
  KEY_FILE_BYTES,
  UpdateCloudStorageDto,
} from './cloud-storage.dto.js';
import { cloudStorageList } from './cloud-storage.repository.js';
import { CloudStorageService } from './cloud-storage.service.js';

/** Reads request bodies for cloud storages, as JSON or as a form. */
@Injectable()
export class CloudStorageBody {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws ApiError 400, 413, UnsupportedMediaType */
  async read<T extends object>(request: Request, response: Response, type: Type<T>): Promise<Unvalidated<T>> {
    const fields = isForm(request) ? await this.readForm(request) : await readJsonObject(request, response);
    return new Unvalidated(fields, type);
  }

  /** The content of the key file becomes a field. */
  private async readForm(request: Request): Promise<Record<string, unknown>> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-key-'));
    try {
      const { fields, files } = await readMultipart(request, {
        folder,
        newId: randomUUID,
        isFile: (field) => field === 'key_file',
        maxFileBytes: KEY_FILE_BYTES,
        maxFieldBytes: this.config.limits.jsonBytes,
      });
      const [file] = files;
      const keyFile = file === undefined ? {} : { key_file: await readFile(join(folder, file.fileId), 'utf8') };
      return { ...readFormFields(fields), ...keyFile };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Reports errors of a creation as lines of text, `field: sentence`, as clients of the contract display them. */
async function inLines<T>(create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const lines = Object.entries(error.body as Record<string, unknown>).map(([field, problem]) => {
      const texts = Array.isArray(problem) ? problem.map(String) : [JSON.stringify(problem)];
      return `${field}: ${escapeHtml(texts.join(' '))}\n`;
    });
    throw new PlainError(400, lines.join(''));
  }
}

const TEXT = { schema: { type: 'string' } } as const;

@ApiTags('cloudstorages')
@Controller('api/cloudstorages')
export class CloudStorageController {
  constructor(
    private readonly storages: CloudStorageService,
    private readonly contents: CloudStorageContent,
    private readonly bodies: CloudStorageBody,
  ) {}

  @Get()
  @Scope('cloudstorage:list')
  @ApiOperation({ summary: 'List cloud storages' })
  @ApiList(cloudStorageList)
  @ApiOkResponse({ type: pageDto(CloudStorageDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<CloudStorageDto>> {
    return this.storages.list(actor, query);
  }

  @Post()
  @Scope('cloudstorage:create')
  @ApiOperation({ summary: 'Add a cloud storage. Its bucket must be reachable.' })
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody({ type: CreateCloudStorageDto })
  @ApiTextErrors(400)
  @ApiCreatedResponse({ type: CloudStorageDto })
  async create(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CloudStorageDto> {
    const body = await this.bodies.read(request, response, CreateCloudStorageDto);
    const storage = await inLines(() => this.storages.create(actor, body));
    response.setHeader('Location', `${actor.baseUrl}/api/cloudstorages/${storage.id}`);
    return storage;
  }

  @Get(':id')
  @Scope('cloudstorage:view')
  @ApiOperation({ summary: 'Get a cloud storage' })
  @ApiOkResponse({ type: CloudStorageDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<CloudStorageDto> {
    return this.storages.get(actor, id);
  }

  @Patch(':id')
  @Scope('cloudstorage:update')
  @ApiOperation({ summary: 'Update a cloud storage. If the server changes, credentials are required.' })
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody({ type: UpdateCloudStorageDto })
  @ApiOkResponse({ type: CloudStorageDto })
  async update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CloudStorageDto> {
    return this.storages.update(actor, id, await this.bodies.read(request, response, UpdateCloudStorageDto));
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('cloudstorage:delete')
  @ApiOperation({ summary: 'Remove a cloud storage. The bucket does not change.' })
  @ApiNoContentResponse({ description: 'Removed. Frames stored in the bucket can no longer be read.' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.storages.delete(actor, id);
  }

  @Get(':id/content-v2')
  @Scope('cloudstorage:view')
  @ApiOperation({ summary: 'List the files and folders below a prefix, in the bucket or in a manifest' })
  @ApiQuery({ name: 'manifest_path', required: false, description: 'Key of a manifest to list instead of the bucket' })
  @ApiQuery({ name: 'prefix', required: false, description: 'Prefix of the keys, ending with a slash' })
  @ApiQuery({ name: 'next_token', required: false, description: '`next` of the previous page' })
  @ApiQuery({ name: 'page_size', required: false, type: 'integer', description: 'At most 500, the default' })
  @ApiMissing('The storage, bucket or manifest does not exist')
  @ApiOkResponse({ type: CloudStorageContentDto })
  content(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
  ): Promise<CloudStorageContentDto> {
    return this.contents.list(actor, id, query);
  }

  @Get(':id/preview')
  @Scope('cloudstorage:view')
  @ApiOperation({ summary: 'Get the preview of a cloud storage: its first image' })
  @ApiMissing('The storage, bucket or image does not exist')
  @ApiOkResponse({
    description: 'At most 256×256 pixels',
    content: { 'image/jpeg': { schema: { type: 'string', format: 'binary' } } },
  })
  async preview(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer> {
    const image = await this.contents.preview(actor, id);
    response.setHeader('Content-Type', 'image/jpeg');
    return image;
  }

  @Get(':id/status')
  @Scope('cloudstorage:view')
  @ApiOperation({ summary: 'Get the status of a cloud storage' })
  @ApiOkResponse({
    schema: { type: 'string', enum: ['AVAILABLE', 'NOT_FOUND', 'FORBIDDEN'] },
  })
  status(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<string> {
    return this.contents.status(actor, id);
  }

  @Get(':id/actions')
  @Scope('cloudstorage:view')
  @ApiOperation({ summary: 'List the permitted actions, as a JSON array in plain text' })
  @ApiTextErrors(400)
  @ApiOkResponse({ content: { 'text/plain': TEXT }, description: '`read` and `write`, as far as permitted' })
  async actions(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer> {
    const actions = await this.contents.actions(actor, id);
    response.setHeader('Content-Type', 'text/plain');
    return Buffer.from(JSON.stringify(actions));
  }
}
