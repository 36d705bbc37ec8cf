import type { SourceFile } from './sources.js';

const roles = [
  'controller',
  'service',
  'repository',
  'handlers',
  'cron',
  'guard',
  'interceptor',
  'listener',
  'module',
  'pipe',
  'filter',
];
/** Nouns for injectables. A class whose name ends in one of them needs no role in its file name. */
const standardNouns = [
  'circuit-breaker',
  'fair-scheduler',
  'retry-policy',
  'cache',
  'database-clock',
  'jobs',
  'database',
];

/** Lists the files with an injectable whose name ends neither in a role nor in a standard noun. */
export function injectablesWithoutRole(files: SourceFile[]): string[] {
  return files
    .filter(({ project, text }) => project !== 'libs/testing' && /^@(Injectable|Controller|Module)\(/m.test(text))
    .map(({ path }) => path)
    .filter((path) => !endsInRole(path));
}

function endsInRole(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1, -'.ts'.length);
  return (
    roles.some((role) => name.endsWith(`.${role}`)) ||
    standardNouns.some((noun) => name === noun || name.endsWith(`-${noun}`))
  );
}
