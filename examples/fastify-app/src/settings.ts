import { join } from 'node:path';

/** The settings of this app. They come from environment variables. */
export interface Settings {
  readonly port: number;
  /** The public address of this app, with its global prefix and without a trailing slash. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The address of a substitute for Apple's push service; null for Apple's service. */
  readonly pushUrl: string | null;
  /** The key with which the staff changes exhibits and visitors. */
  readonly staffKey: string;
  /** Two secrets of at least 32 characters each. They are the same on every node and never change. */
  readonly accessTokenSecret: string;
  readonly passTokenSecret: string;
}

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const port = Number(environment.PORT ?? 4000);
  return {
    port,
    baseUrl: environment.BASE_URL ?? `http://localhost:${port}/api`,
    databaseUrl: required(environment, 'DATABASE_URL'),
    dataDir: environment.DATA_DIR ?? join(process.cwd(), 'data'),
    pushUrl: environment.PUSH_URL ?? null,
    staffKey: required(environment, 'STAFF_KEY'),
    accessTokenSecret: required(environment, 'ACCESS_TOKEN_SECRET'),
    passTokenSecret: required(environment, 'PASS_TOKEN_SECRET'),
  };
}

function required(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}
