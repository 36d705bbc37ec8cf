/** The form of a schema name. Connection names contain it and must fit into the 63 bytes that Postgres keeps. */
const FORM = /^[a-z_][a-z0-9_]{0,29}$/;
const QUEUE = '_queue';
const TAKEN = /^(pg_.*|public|information_schema|graphile_worker)$/;

/** The schema of the queue if the service has no schema of its own. */
const DEFAULT_QUEUE_SCHEMA = 'graphile_worker';

/** The service's schema cannot have this name. The message says why. */
export class SchemaNameRejected extends Error {
  constructor(name: string, problem: string) {
    super(`The schema "${name}" ${problem}; for example "passwright".`);
    this.name = 'SchemaNameRejected';
  }
}

/** Returns what is wrong with the name of a schema, as the end of a sentence; null if it can be used. */
export function schemaNameProblem(name: string): string | null {
  if (!FORM.test(name)) return 'must have 1 to 30 lower-case letters, digits and underscores, and no digit first';
  if (TAKEN.test(name)) return 'must be a schema of its own, not one of Postgres or of the job queue';
  return name.endsWith(QUEUE) ? `must not end in ${QUEUE}, as the schemas of job queues do` : null;
}

/**
 * Checks the name of a schema.
 * @returns the name; null if none is set.
 * @throws SchemaNameRejected
 */
export function checkedSchemaName(name: string | null | undefined): string | null {
  if (name === null || name === undefined) return null;
  const problem = schemaNameProblem(name);
  if (problem !== null) throw new SchemaNameRejected(name, problem);
  return name;
}

/** Returns the schema of the job queue that belongs to a schema of tables. */
export function queueSchemaOf(schema: string | null): string {
  return schema === null ? DEFAULT_QUEUE_SCHEMA : `${schema}${QUEUE}`;
}

/**
 *  Returns the first word of the `application_name` of connections. The word distinguishes the services in one
 *  database.
 */
export function serviceName(schema: string | null): string {
  return schema === null ? 'passwright' : `passwright@${schema}`;
}

/** Returns the statement that makes a session see only one schema and the catalog; empty without a schema. */
export function searchPathSql(schema: string | null): string {
  return schema === null ? '' : `SET search_path = "${schema}";`;
}
