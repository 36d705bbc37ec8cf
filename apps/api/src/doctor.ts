import './stop-signals.js';
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { runDoctor } from './doctor/doctor-program.js';
import { terminalOf } from './terminal.js';

if (existsSync('.env')) process.loadEnvFile('.env');

void runDoctor(
  process.argv.slice(2),
  process.env,
  (text) => process.stdout.write(text),
  (text) => process.stderr.write(text),
  terminalOf(process.stdout),
).then((code) => {
  process.exitCode = code;
  // Exit explicitly, because an abandoned operation, such as a look-up, would keep the process alive.
  process.stdout.write('', () => process.exit());
});
