export { JobRights } from './rights';
export {
  useJobRights,
  useMayCreateStorage,
  useMayMake,
  useMayTellOfOrganization,
  useProjectRights,
  useSeesJobsAnywhere,
  useStorageRights,
  useTaskRights,
} from './use-rights';
