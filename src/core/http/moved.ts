import { PlainError } from './errors.js';

/** 410: exports used to be started by a GET. @param start the path that starts one now */
export const movedExport = (start: string): PlainError =>
  new PlainError(
    410,
    `This endpoint is no longer supported.\nTo initiate the export process, use POST ${start}.\n` +
      'To check the status of the process, use GET /api/requests/rq_id.\n' +
      'To download the file, use the result_url of the request.',
  );

/** 410: imports used to be tracked with a query parameter of the write. */
export const movedStatus = (): PlainError =>
  new PlainError(
    410,
    'This endpoint no longer supports checking the status of the import process.\n' +
      'To check the status of the process, use GET /api/requests/rq_id.',
  );
