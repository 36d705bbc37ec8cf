/** Errno names of temporary errors: the system lacks a resource right now. */
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

/** Returns true for an error caused by the operating system, such as its disk, limits or permissions. */
export function isSystemError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, cause } = error as NodeJS.ErrnoException;
  return (syscall !== undefined && passing.has(code ?? '')) || isSystemError(cause);
}
