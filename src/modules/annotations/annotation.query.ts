import { Invalid, InvalidList } from '../../core/http/errors.js';
import { movedExport, movedStatus } from '../../core/http/moved.js';
import { parameter } from '../../core/list/page-request.js';
import type { AnnotationAction } from '../../shared/annotations/model.js';
import type { Target } from './annotated-task.repository.js';

type Query = Readonly<Record<string, unknown>>;

const EXPORT_PARAMETERS = ['format', 'filename', 'action', 'location', 'cloud_storage_id'];
const IMPORT_PARAMETERS = ['format', 'rq_id'];

const names = (query: Query, parameters: readonly string[]): boolean =>
  parameters.some((parameter) => Object.hasOwn(query, parameter));

/** Older clients start exports with parameters of the read. @throws PlainError 410 */
export function refuseExport(query: Query, { kind }: Target): void {
  if (!names(query, EXPORT_PARAMETERS)) return;
  throw movedExport(`/api/${kind}s/id/dataset/export?save_images=False`);
}

/** Older clients poll imports with parameters of the write. @throws PlainError 410 */
export function refuseImportStatus(query: Query): void {
  if (names(query, IMPORT_PARAMETERS)) throw movedStatus();
}

/** The requested frames; both ends are inclusive. */
export interface FrameWindow {
  readonly start?: number;
  readonly stop?: number;
}

/** Which annotations a read returns, and in which form. */
export interface AnnotationView {
  /** The state after this save. Default: the current state. */
  readonly at?: number;
  /** Return tracks with a shape on every frame, and only objects on these frames. */
  readonly interpolated?: FrameWindow;
}

/** @throws Invalid that names the parameter */
export function readView(query: Query): AnnotationView {
  const [wanted, start, stop] = [parameter(query, 'interpolated'), frameOf(query, 'start'), frameOf(query, 'stop')];
  if (!['', 'true', 'false'].includes(wanted)) throw new Invalid({ interpolated: ['Must be true or false.'] });
  if (wanted !== 'true') {
    const named = Object.keys({ ...start, ...stop })[0];
    if (named !== undefined) throw new Invalid({ [named]: ['Requires interpolated=true.'] });
    return {};
  }
  const frames = { ...start, ...stop };
  if ((frames.start ?? 0) > (frames.stop ?? Infinity)) throw new Invalid({ stop: ['Must not be less than start.'] });
  return { interpolated: frames };
}

function frameOf<Name extends 'start' | 'stop'>(query: Query, name: Name): { readonly [key in Name]?: number } {
  const text = parameter(query, name);
  if (text === '') return {};
  if (!/^\d{1,9}$/.test(text)) throw new Invalid({ [name]: ['Must be a frame number.'] });
  return { [name]: Number(text) } as { readonly [key in Name]?: number };
}

/** @throws InvalidList */
export function readAction(query: Query): AnnotationAction {
  const { action } = query;
  if (action === 'create' || action === 'update' || action === 'delete') return action;
  throw new InvalidList("Please specify a correct 'action' for the request");
}
