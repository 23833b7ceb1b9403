import { directUrl } from './config/config.js';
import { readConfig } from './config/env.js';
import { createDataSource } from './core/database/data-source.js';
import { ENTITIES, MIGRATIONS } from './schema.js';

const config = readConfig(process.env);

/** For TypeORM's own command line: `DATABASE_URL=… npx typeorm migration:show -d dist/ormconfig.js`. */
export default createDataSource({
  url: directUrl(config),
  connectTimeoutMs: config.databaseConnectTimeoutMs,
  poolSize: 2,
  entities: ENTITIES,
  migrations: MIGRATIONS,
});
