import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { selectMedia } from '../../../engines/media/media-selection.js';
import { HandlesRequests, type RequestContext, type RequestHandler } from '../../requests/index.js';
import { TaskRepository, type TaskRow } from '../../tasks/index.js';
import { MediaDataRepository, type MediaDataRow } from '../media-data.repository.js';
import { CREATE_TASK } from '../upload/task-data.service.js';
import { CreationResult, type PreparedTask } from './creation-result.js';
import { CreationSources } from './creation-sources.js';
import { ImagePreparation } from './image-preparation.js';
import { VideoPreparation } from './video-preparation.js';

/** Creates a task from its uploaded files: the background request `create:task`. */
@Injectable()
@HandlesRequests(CREATE_TASK)
export class CreateTaskHandler implements RequestHandler {
  readonly successTtlMs = 500_000;
  readonly failureTtlMs = 365 * 86_400_000;

  constructor(
    private readonly db: Db,
    private readonly tasks: TaskRepository,
    private readonly data: MediaDataRepository,
    private readonly sources: CreationSources,
    private readonly images: ImagePreparation,
    private readonly videos: VideoPreparation,
    private readonly result: CreationResult,
  ) {}

  async run(request: RequestContext): Promise<void> {
    const task = await this.tasks.find(this.db, request.taskId ?? 0);
    const data = task?.data_id == null ? undefined : await this.data.find(this.db, task.data_id);
    if (task === undefined || data === undefined) throw this.result.gone();
    try {
      const prepared = await this.prepare(request, task, data);
      await this.sources.removeIncoming(data.id);
      request.setMessage('Task is being saved in database');
      await this.result.save(request, task, prepared);
      if (prepared.mode === 'interpolation') this.videos.readAhead(task.id);
    } catch (error) {
      throw await this.result.undo(error, request, data.id);
    }
  }

  private async prepare(request: RequestContext, task: TaskRow, data: MediaDataRow): Promise<PreparedTask> {
    const sources = await this.sources.of(request, data);
    request.setMessage('Media files are being extracted...');
    const selection = selectMedia([...sources.files.keys()]);
    const preparation = selection.kind === 'video' ? this.videos : this.images;
    return preparation.prepare(request, task, data, { selection, sources });
  }
}
