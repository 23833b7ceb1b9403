import { createDataSource } from './src/core/database/data-source.js';
import { ENTITIES, MIGRATIONS } from './src/schema.js';

/** For TypeORM's own command line: `DATABASE_URL=… npx typeorm -d dist/ormconfig.js`. */
export default createDataSource({
  url: process.env['DATABASE_URL'] ?? '',
  poolSize: 2,
  entities: ENTITIES,
  migrations: MIGRATIONS,
});
