/** Modules alone are several hundred files, which Node.js opens at the same time. */
const MIN_OPEN_FILES = 600;

interface Limits {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | 'unlimited' } };
}

/** How many files this process can open at the same time. */
function openFiles(): number {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  report.excludeNetwork = true; // which would look up names
  const limit = (report.getReport() as Limits).userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Infinity;
}

/** Why this process cannot start, in one sentence. @returns null if it can open enough files */
export function openFilesProblem(limit = openFiles()): string | null {
  if (limit >= MIN_OPEN_FILES) return null;
  return (
    `This process may open only ${limit} files at the same time, and needs at least ${MIN_OPEN_FILES}, with many users ` +
    'thousands. Raise the limit: `ulimit -n 65536`, LimitNOFILE=65536 in a systemd unit, or --ulimit nofile=65536 for a container.'
  );
}
