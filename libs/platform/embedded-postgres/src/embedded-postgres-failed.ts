/** The embedded server cannot be used. The message says why, and what to do about it. */
export class EmbeddedPostgresFailed extends Error {
  override readonly name = 'EmbeddedPostgresFailed';
}

/** The alternative that always works, as the end of an error message. */
export const OWN_SERVER =
  'or set DATABASE_URL (postgres://user:password@host:5432/database) to use a Postgres server of your own, 14 or newer.';
