import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allFiles } from './sources.js';

const root = resolve(__dirname, '../../../..');
const [, recipes = ''] = /\n## Recipes\n([^]*?)\n## /.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? [];
const named = [...new Set([...recipes.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))];
/** The folders from which the recipes name files. */
const folders = ['', 'apps/api', 'libs/providers/payments', 'libs/platform/database/src'];
const files = allFiles();

it('the recipes of CONTRIBUTING.md name only files that exist', () => {
  const paths = named.filter((name) => /^[\w./-]+\.(?:ts|mjs|md|json)$/.test(name));
  expect(paths.length).toBeGreaterThan(10);
  const isThere = (path: string) =>
    folders.some((folder) => existsSync(join(root, folder, path))) ||
    files.some((file) => file.path.endsWith(`/${path}`));
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

it('the recipes of CONTRIBUTING.md name only functions, classes and decorators that exist', () => {
  const names = named.flatMap((name) => /^@?([A-Za-z]{4,})(?:\(.*\))?$/.exec(name)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(15);
  const isDeclared = (name: string) => files.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
  expect(names.filter((name) => !isDeclared(name))).toEqual([]);
});
