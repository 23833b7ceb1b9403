/**
 * Rolling upgrades are promised from this revision on: its code keeps running on the schema of every later version until
 * a release says otherwise. Migrations after this one are expand-then-contract (docs/conventions.md).
 */
export const PROMISED = {
  revision: '735e1c9d',
  /** The timestamp of its newest migration. */
  migration: 1_795_662_660_000,
};
