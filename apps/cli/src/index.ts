export { exitCodes } from './failures.js';
export type { Io } from './io.js';
export { runCli } from './program.js';
