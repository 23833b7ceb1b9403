import { Injectable } from '@nestjs/common';
import { Metrics } from './metrics.js';
import { Db } from '../database/db.js';

/** Declares the metrics of the connection pool. */
@Injectable()
export class PoolMetrics {
  constructor(db: Db, metrics: Metrics) {
    metrics.gauge(
      { name: 'database_connections', help: 'Connections of the pool, and who waits for one', labels: ['state'] },
      () => Object.entries(db.connections()).map(([state, value]) => ({ labels: { state }, value })),
    );
  }
}
