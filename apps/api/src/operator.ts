import './stop-signals.js';
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { runOperator } from './operator/operator-program.js';

if (existsSync('.env')) process.loadEnvFile('.env');

void runOperator(
  process.argv.slice(2),
  process.env,
  (text) => process.stdout.write(text),
  (text) => process.stderr.write(text),
).then((code) => (process.exitCode = code));
