import { readConfig } from './config/env.js';
import { createDataSource } from './core/database/data-source.js';
import { ENTITIES, MIGRATIONS } from './schema.js';

const { databaseUrl: url, databaseConnectTimeoutMs: connectTimeoutMs } = readConfig(process.env);

/** For TypeORM's own command line: `DATABASE_URL=… npx typeorm migration:show -d dist/ormconfig.js`. */
export default createDataSource({
  url,
  connectTimeoutMs,
  poolSize: 2,
  entities: ENTITIES,
  migrations: MIGRATIONS,
});
