export { JobRights } from './rights';
export { useJobRights, useMayMake, useMayTellOfOrganization, useProjectRights, useTaskRights } from './use-rights';
