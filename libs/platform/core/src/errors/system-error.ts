/** Errno names of errors that occur when no file handle or memory is available. */
const exhausted = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);
/** Errno names of errors that may be temporary: the system lacks a resource or a permission, or a disk fails. */
const passing = new Set([...exhausted, 'EACCES', 'EDQUOT', 'EIO', 'ENOSPC', 'EPERM', 'EROFS']);

/** Returns true for an error of the operating system, such as a full disk, a resource limit or a missing permission. */
export function isSystemError(error: unknown): boolean {
  return isErrno(error, passing);
}

/** Returns true if this process or its machine has no file handle or memory left. The peer is then not at fault. */
export function isOutOfResources(error: unknown): boolean {
  return isErrno(error, exhausted);
}

function isErrno(error: unknown, names: ReadonlySet<string>): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, cause } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && names.has(code ?? '')) return true;
  // A connection to a host with several addresses fails with one error for each address.
  return error instanceof AggregateError ? error.errors.some((each) => isErrno(each, names)) : isErrno(cause, names);
}
