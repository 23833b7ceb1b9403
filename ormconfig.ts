import { readConfig } from './src/config/env.js';
import { createDataSource } from './src/core/database/data-source.js';
import { ENTITIES, MIGRATIONS } from './src/schema.js';

const { databaseUrl: url, databaseConnectTimeoutMs: connectTimeoutMs } = readConfig(process.env);

/** For TypeORM's own command line: `DATABASE_URL=… npx typeorm -d dist/ormconfig.js`. */
export default createDataSource({
  url,
  connectTimeoutMs,
  poolSize: 2,
  entities: ENTITIES,
  migrations: MIGRATIONS,
});
