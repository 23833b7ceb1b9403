import { InvalidList, PlainError } from '../../core/http/errors.js';
import type { AnnotationAction } from '../../engines/annotations/model.js';
import type { Target } from './annotated-task.repository.js';

type Query = Readonly<Record<string, unknown>>;

const EXPORT_PARAMETERS = ['format', 'filename', 'action', 'location', 'cloud_storage_id'];
const IMPORT_PARAMETERS = ['format', 'rq_id'];

const names = (query: Query, parameters: readonly string[]): boolean =>
  parameters.some((parameter) => Object.hasOwn(query, parameter));

/** Exports were once asked for by parameters of the read. @throws PlainError 410 */
export function refuseExport(query: Query, { kind }: Target): void {
  if (!names(query, EXPORT_PARAMETERS)) return;
  const [exports, requests, downloads] = [
    `POST /api/${kind}s/id/dataset/export?save_images=False`,
    'GET /api/requests/rq_id',
    'the result_url of the request',
  ];
  throw new PlainError(
    410,
    `This endpoint is no longer supported.\nTo initiate the export process, use ${exports}.\n` +
      `To check the status of the process, use ${requests}.\nTo download the file, use ${downloads}.`,
  );
}

/** Imports were once followed by parameters of the write. @throws PlainError 410 */
export function refuseImportStatus(query: Query): void {
  if (!names(query, IMPORT_PARAMETERS)) return;
  throw new PlainError(
    410,
    'This endpoint no longer supports checking the status of the import process.\n' +
      'To check the status of the process, use GET /api/requests/rq_id.',
  );
}

/** @throws InvalidList */
export function readAction(query: Query): AnnotationAction {
  const { action } = query;
  if (action === 'create' || action === 'update' || action === 'delete') return action;
  throw new InvalidList("Please specify a correct 'action' for the request");
}
