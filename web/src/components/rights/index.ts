export { JobRights } from './rights';
export {
  useJobRights,
  useMayMake,
  useMayTellOfOrganization,
  useProjectRights,
  useSeesJobsAnywhere,
  useTaskRights,
} from './use-rights';
