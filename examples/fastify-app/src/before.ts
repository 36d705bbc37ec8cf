// The app without Passwright. `npm test` compares its responses with those of `main.ts`.
import 'reflect-metadata';
import { MuseumModule } from './museum/museum.module.js';
import { start } from './museum/start.js';
import { readSettings } from './settings.js';

const settings = readSettings(process.env);
start(MuseumModule.forRoot({ key: settings.staffKey }), settings).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
