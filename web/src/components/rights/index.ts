export { JobRights } from './rights';
export {
  useJobRights,
  useMayCreateStorage,
  useMayCreate,
  useMayCreateOrganization,
  useMayCreateOrganizationWebhook,
  useMayCreateTask,
  useMayCreateWebhook,
  useProjectRights,
  useSeesJobsAnywhere,
  useStorageRights,
  useTaskRights,
} from './use-rights';
export { PermittedPage } from './permitted-page';
export { useFunctionRights } from './function-rights';
