import 'reflect-metadata';
import { migrate } from '@passwright/database';
import { AppModule } from './app.module.js';
import { start } from './museum/start.js';
import { readSettings } from './settings.js';

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  await migrate(settings.databaseUrl);
  await start(AppModule.forRoot(settings), settings);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
