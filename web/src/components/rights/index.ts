export { JobRights } from './rights';
export { useJobRights, useMayMake, useProjectRights, useTaskRights } from './use-rights';
