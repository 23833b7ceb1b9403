import { join, resolve } from 'node:path';
import { withDatabase } from './database.js';
import { ServerSecret } from '../core/secret.js';
import { ProgressLine } from './progress-line.js';
import { CvatImportError, InvalidRecords } from '../cvat-import/cvat-import-error.js';
import { importCvat } from '../cvat-import/import-cvat.js';
import type { Sealing } from '../cvat-import/mapping.js';
import { reportText } from '../cvat-import/report.js';
import { CloudCredentials } from '../modules/cloudstorages/cloud-buckets.js';
import { WebhookSecrets } from '../modules/webhooks/subscriptions/webhook-secrets.js';
import { StartError } from '../start-error.js';

export interface ImportCvatArguments {
  readonly dump: string;
  readonly data: string;
  readonly dryRun?: boolean;
  readonly allowMissing?: boolean;
  readonly skipInvalid?: boolean;
}

/** In the data folder, which can always be written. */
const SKIPPED = 'cvat-import-skipped.jsonl';

const explained = (error: CvatImportError): string =>
  error instanceof InvalidRecords
    ? `${error.message}\nNothing was imported. Correct them in CVAT, or pass --skip-invalid to import everything else.`
    : error.message;

/** Imports the data of a CVAT installation and prints what was, or in a dry run would be, imported. */
export async function importCvatCommand(options: ImportCvatArguments): Promise<void> {
  const { dump, data, dryRun = false, allowMissing = false, skipInvalid = false } = options;
  const line = new ProgressLine(process.stderr, () => performance.now());
  const result = await withDatabase(({ config }) => {
    if (config.media.url !== '')
      throw new StartError(
        'Files of CVAT are imported into the data folder. Unset MEDIA_URL, import, and then run "cairn move-media".',
      );
    const secret = new ServerSecret(config);
    const webhooks = new WebhookSecrets(secret);
    const clouds = new CloudCredentials(secret);
    const sealing: Sealing = {
      webhookSecret: (text) => webhooks.seal(text),
      cloudCredentials: (credentials) => clouds.seal(credentials),
    };
    const { databaseUrl, dataDir } = config;
    const paths = { dump: resolve(dump), data: resolve(data) };
    const skipInvalidTo = skipInvalid ? join(resolve(dataDir), SKIPPED) : undefined;
    const onProgress = line.update.bind(line);
    return importCvat({ databaseUrl, dataDir, ...paths, dryRun, allowMissing, skipInvalidTo, sealing, onProgress });
  })
    .finally(() => line.end())
    .catch((error: unknown) => {
      throw error instanceof CvatImportError ? new StartError(explained(error)) : error;
    });
  process.stdout.write(reportText(result, dryRun));
  process.stdout.write(dryRun ? 'Nothing was changed.\n' : 'Done.\n');
}
