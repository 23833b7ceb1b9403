export { JobRights } from './rights';
export {
  useJobRights,
  useMayCreateStorage,
  useMayMake,
  useMayCreateOrganizationWebhook,
  useProjectRights,
  useSeesJobsAnywhere,
  useStorageRights,
  useTaskRights,
} from './use-rights';
