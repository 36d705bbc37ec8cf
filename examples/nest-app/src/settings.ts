import { join } from 'node:path';
import { Module } from '@nestjs/common';

/** The settings of this app. They come from environment variables. */
export abstract class Settings {
  abstract readonly port: number;
  /** The public address of this app, with its global prefix and without a trailing slash. */
  abstract readonly baseUrl: string;
  abstract readonly databaseUrl: string;
  abstract readonly dataDir: string;
  /** Two secrets of at least 32 characters each. They are the same on every node and never change. */
  abstract readonly accessTokenSecret: string;
  abstract readonly passTokenSecret: string;
  /** The key with which the staff changes the exhibits. */
  abstract readonly staffKey: string;
}

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const port = Number(environment.PORT ?? 4000);
  return {
    port,
    baseUrl: environment.BASE_URL ?? `http://localhost:${port}/api`,
    databaseUrl: required(environment, 'DATABASE_URL'),
    dataDir: environment.DATA_DIR ?? join(process.cwd(), 'data'),
    accessTokenSecret: required(environment, 'ACCESS_TOKEN_SECRET'),
    passTokenSecret: required(environment, 'PASS_TOKEN_SECRET'),
    staffKey: required(environment, 'STAFF_KEY'),
  };
}

function required(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

@Module({
  providers: [{ provide: Settings, useFactory: () => readSettings(process.env) }],
  exports: [Settings],
})
export class SettingsModule {}
