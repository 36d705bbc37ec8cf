import { join } from 'node:path';
import { Module } from '@nestjs/common';

/** What this app is told from outside. */
export abstract class Settings {
  abstract readonly port: number;
  /** Where phones and browsers reach this app, without a slash at its end. */
  abstract readonly baseUrl: string;
  abstract readonly databaseUrl: string;
  abstract readonly dataDir: string;
  /** At least 32 characters each, the same on every node, and kept. */
  abstract readonly accessTokenSecret: string;
  abstract readonly passTokenSecret: string;
}

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const port = Number(environment.PORT ?? 4000);
  return {
    port,
    baseUrl: environment.BASE_URL ?? `http://localhost:${port}`,
    databaseUrl: required(environment, 'DATABASE_URL'),
    dataDir: environment.DATA_DIR ?? join(process.cwd(), 'data'),
    accessTokenSecret: required(environment, 'ACCESS_TOKEN_SECRET'),
    passTokenSecret: required(environment, 'PASS_TOKEN_SECRET'),
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
