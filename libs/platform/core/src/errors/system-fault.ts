/** Errno names of faults that may pass: the system lacks something at this moment. */
const passing = new Set([
  'EACCES',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'ENOSPC',
  'EPERM',
  'EROFS',
]);

/** Returns whether something failed, or was caused, by the operating system: by its disk, its limits or its permissions. */
export function isSystemFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, cause } = error as NodeJS.ErrnoException;
  return (syscall !== undefined && passing.has(code ?? '')) || isSystemFault(cause);
}
