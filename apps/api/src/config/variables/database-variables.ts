import { z } from 'zod';
import { postgresUrl, schemaName, standbyUrl, wholeNumber } from './variable-forms.js';

export const databaseVariables = {
  DATABASE_URL: {
    schema: postgresUrl,
    about:
      'Postgres 14 or newer. With several servers (host:port,host:port), the service uses the primary. Unset: an ' +
      'embedded Postgres in DATA_DIR, for one node.',
    example: 'postgres://passwright:secret@db.example.com:5432/passwright',
  },
  DATABASE_DIRECT_URL: {
    schema: postgresUrl,
    about:
      'Address of the same database without a pooler, for jobs, migrations and locks. Set it if DATABASE_URL leads to ' +
      'a pooler in transaction mode. The role must then have its time limits; the service prints the SQL when it starts. Default: DATABASE_URL.',
    example: 'postgres://passwright:secret@db.example.com:5432/passwright',
  },
  DATABASE_REPLICA_URL: {
    schema: standbyUrl,
    about:
      'A hot standby of that database, or a TCP proxy in front of several, for reads of passes, packages, pages, ' +
      'templates, usage and the audit trail. Reads are as fresh as from the primary, which serves them while the ' +
      'standby is more than 50 ms behind. Unset: all reads go to the primary.',
    example: 'postgres://passwright:secret@replica.example.com:5432/passwright',
  },
  DATABASE_SCHEMA: {
    schema: schemaName,
    about:
      'Schema that the service creates for its tables; the job queue gets a second one (…_queue). Set it before the ' +
      'first start to share a database with other tables or services: nothing moves existing tables. ' +
      "Unset: the first schema of the role's search_path, normally public.",
    example: 'passwright',
  },
  DATABASE_PREPARED_STATEMENTS: {
    schema: z.enum(['on', 'off'], 'must be on or off').default('on'),
    about: 'Set off for a pooler that loses prepared statements, such as PgBouncer before 1.21. Default: on.',
    example: 'off',
  },
  DATABASE_POOL_SIZE: {
    schema: wholeNumber(2, 500).default(20),
    about:
      'Maximum number of connections to Postgres, and of simultaneous requests, of a node. Its workers share them; each has at least 2. One ' +
      'account has at most half. Default: 20.',
    example: '20',
  },
  DATABASE_STATEMENT_SECONDS: {
    schema: wholeNumber(1, 300).default(8),
    about:
      'Seconds that a statement may take before its request gets 503. A connection that is silent for a second more ' +
      'is replaced. Default: 8.',
    example: '8',
  },
} as const;
