// The app without Passwright. `npm test` compares its responses with those of `main.ts`.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { connection } from './museum/connection.js';
import { museumMigrations } from './museum/museum.migrations.js';
import { MuseumModule } from './museum/museum.module.js';
import { start } from './museum/start.js';

@Module({ imports: [connection(museumMigrations), MuseumModule] })
class AppBefore {}

start(AppBefore).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
