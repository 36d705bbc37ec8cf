import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyFolder } from './folder-copy.js';

let dir: string;
let from: string;
let to: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'folder copy '));
  [from, to] = [join(dir, 'from'), join(dir, 'made/to')];
  mkdirSync(join(from, 'images/acc'), { recursive: true });
  mkdirSync(join(from, 'marks'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const image = (name: string) => join('images/acc', name);
const modeOf = (path: string) => statSync(path).mode & 0o777;

it('a copy contains the files of all folders except the excluded one', async () => {
  writeFileSync(join(from, image('1.png')), 'one');
  writeFileSync(join(from, 'marks/m'), 'mark');
  mkdirSync(join(to, 'images/acc'), { recursive: true });
  writeFileSync(join(to, image('1.png')), 'older');
  await copyFolder(from, to, { except: 'marks' });
  expect(readFileSync(join(to, image('1.png')), 'utf8')).toBe('one');
  expect(readdirSync(to)).toEqual(['images']);
});

it('only the owner can read a private copy, even if it replaces an older one', async () => {
  writeFileSync(join(from, image('1.png')), 'one');
  const modes = (folder: string) => ['', 'images/acc', image('1.png')].map((path) => modeOf(join(folder, path)));
  const usual = modes(from);
  await copyFolder(from, to);
  expect(modes(to)).toEqual(usual);
  await copyFolder(from, to, { isPrivate: true });
  expect(modes(to)).toEqual([0o700, 0o700, 0o600]);
  const restored = join(dir, 'restored');
  await copyFolder(to, restored);
  expect(modes(restored)).toEqual(usual);
});

it('a copy skips the files that are deleted while it runs', async () => {
  for (let n = 0; n < 200; n++) writeFileSync(join(from, image(`${n}.png`)), 'content');
  const copied = join(to, 'images/acc');
  const copying = copyFolder(from, to);
  while (!existsSync(copied) || readdirSync(copied).length === 0) await new Promise(setImmediate);
  rmSync(join(from, 'images'), { recursive: true });
  await copying;
  expect(readdirSync(copied).length).toBeLessThan(200);
});

it('a copy fails if its target cannot be written', async () => {
  writeFileSync(join(from, image('1.png')), 'one');
  mkdirSync(join(to, image('1.png')), { recursive: true });
  await expect(copyFolder(from, to)).rejects.toThrow('1.png');
});
