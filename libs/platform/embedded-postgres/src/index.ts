export {
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres.js';
export { EmbeddedPostgresFailed } from './embedded-postgres-failed.js';
export { freePort } from './free-port.js';
