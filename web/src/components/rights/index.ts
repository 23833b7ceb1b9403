export { JobRights } from './rights';
export {
  useJobRights,
  useMayCreateStorage,
  useMayCreate,
  useMayCreateOrganizationWebhook,
  useProjectRights,
  useSeesJobsAnywhere,
  useStorageRights,
  useTaskRights,
} from './use-rights';
export { useFunctionRights } from './function-rights';
