import 'reflect-metadata';
import { migrateJobs } from '@passwright/database';
import { AppModule } from './app.module.js';
import { start } from './museum/start.js';
import { readSettings } from './settings.js';

async function main(): Promise<void> {
  // The job queue's tables have their own migration history.
  await migrateJobs(readSettings(process.env).databaseUrl);
  await start(AppModule);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
