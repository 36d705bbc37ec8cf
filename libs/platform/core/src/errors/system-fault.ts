/** Errno names of temporary faults, when the system lacks a resource at the moment. */
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

/**
 * Returns true for a fault of the operating system, such as its disk, limits or permissions, and for errors caused by
 * one.
 */
export function isSystemFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, cause } = error as NodeJS.ErrnoException;
  return (syscall !== undefined && passing.has(code ?? '')) || isSystemFault(cause);
}
