import { readFileSync } from 'node:fs';

/** The version of the release. */
export const { version } = JSON.parse(readFileSync(require.resolve('../package.json'), 'utf8')) as { version: string };
