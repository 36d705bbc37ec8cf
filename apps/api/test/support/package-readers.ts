import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Template } from '@walletpass/pass-js';
import { PKPass } from 'passkit-generator';
import { type Json, type Language, unpacked } from './full-package.js';

/** The folder for files of the readers. `removeReaders` deletes it. */
const dir = mkdtempSync(join(tmpdir(), 'passwright-package-readers-'));
export function removeReaders(): void {
  rmSync(dir, { recursive: true });
}

/** Finds kitinerary-extractor, with which KDE's apps read packages; null if it is not installed. */
function kitineraryPath(): string | null {
  const { PATH = '' } = process.env;
  const libraries = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const folders = libraries.flatMap((name) => ['kf6', 'kf5'].map((kf) => join('/usr/lib', name, 'libexec', kf)));
  const paths = [...PATH.split(':'), ...folders].map((folder) => join(folder, 'kitinerary-extractor'));
  return paths.find((path) => existsSync(path)) ?? null;
}

export const kitinerary = {
  path: kitineraryPath(),
  missing: 'kitinerary-extractor is not installed (on Debian: libkpimitinerary-bin)',
};

/** Returns the reservations that kitinerary-extractor finds in a package. It finds them only for events. */
export function extracted(bytes: Buffer): unknown {
  const args = [written(bytes)];
  return JSON.parse(
    execFileSync(kitinerary.path ?? '', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}

/** Compiles the program that prints what KPkPass reads; null if this is not possible here. */
function kpkpassReader(): string | null {
  const { status, stdout } = spawnSync('pkg-config', ['--cflags', '--libs', 'Qt5Gui'], { encoding: 'utf8' });
  if (status !== 0) return null;
  const program = join(dir, 'kpkpass-reader');
  const source = join(__dirname, 'kpkpass-reader.cpp');
  const options = ['-std=c++17', '-fPIC', '-I/usr/include/KPim', source, '-o', program, '-lKPimPkPass'];
  return spawnSync('g++', [...options, ...stdout.trim().split(/\s+/)]).status === 0 ? program : null;
}

export const kpkpass = {
  program: kpkpassReader(),
  missing: 'KPkPass or a compiler is not installed (on Debian 12: libkpimpkpass-dev, g++ and pkg-config)',
};

interface KpkpassField {
  readonly key: string;
  readonly label: string;
  readonly value: unknown;
  readonly changeMessage: string;
}

/** A package as KPkPass reads it. */
interface KpkpassPass {
  readonly style: string;
  readonly description: string;
  readonly organizationName: string;
  readonly group: string;
  readonly expires: string;
  readonly colours: readonly string[];
  readonly fields: readonly KpkpassField[];
  readonly barcodes: readonly Readonly<Record<'format' | 'message', string>>[];
  readonly images: readonly string[];
  /** The decoded images by names such as `logo@2x.png`. */
  readonly pictures: ReadonlyMap<string, Buffer>;
}

/** Returns what KPkPass reads from a package on a device with this language. */
export function readByKpkpass(bytes: Buffer, language: Language): KpkpassPass {
  const folder = mkdtempSync(join(dir, 'images-'));
  const printed = execFileSync(kpkpass.program ?? '', [written(bytes), language, folder], { encoding: 'utf8' });
  // The library keeps the backslash before a quote.
  const json = JSON.parse(printed, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\\"', '"') : value,
  ) as KpkpassPass & Readonly<Record<string, readonly KpkpassField[]>>;
  const fields = ['header', 'primary', 'secondary', 'auxiliary', 'back'].flatMap((part) => json[`${part}Fields`]!);
  const pictures = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  return { ...json, fields, pictures };
}

function written(bytes: Buffer): string {
  const file = join(dir, 'pass.pkpass');
  writeFileSync(file, bytes);
  return file;
}

/** Returns what passkit-generator reads from a package: the pass, the texts of each language, and the files. */
export async function readByPasskitGenerator(bytes: Buffer) {
  const { files } = await unpacked(bytes);
  const pass = new PKPass(Object.fromEntries(files), undefined, undefined);
  // The texts are in a private property, and the library has no public method that reads them.
  const tables = ofSymbol<Record<string, Record<string, string>>>(pass, 'pass.l10n');
  const texts = (language: Language) =>
    Object.entries(tables[language]!).map(([key, text]) => [unescaped(key), unescaped(text)] as const);
  return { pass, texts, files: ofSymbol<Record<string, Buffer>>(pass, 'bundleFiles') };
}

function ofSymbol<T>(pass: PKPass, description: string): T {
  const name = Object.getOwnPropertySymbols(pass).find((symbol) => symbol.description === description)!;
  return (pass as unknown as Record<symbol, T>)[name]!;
}

function unescaped(text: string): string {
  return text.replaceAll('\\"', '"');
}

/**
 * Returns what pass-js reads from an unpacked package. It cannot read the barcodes of iOS 27, so it gets only older
 * ones. It decodes string tables only as little-endian UTF-16, so they are converted first.
 */
export async function readByPassJs(bytes: Buffer, knownFormats: readonly string[]): Promise<Template> {
  const { pass, files } = await unpacked(bytes);
  const folder = mkdtempSync(join(dir, 'pass-js-'));
  const barcodes = (pass.barcodes as { format: string }[]).filter(({ format }) => knownFormats.includes(format));
  const content = (name: string, file: Buffer) => {
    if (name === 'pass.json') return JSON.stringify({ ...pass, barcodes } satisfies Json);
    return name.endsWith('/pass.strings') ? Buffer.from(`\ufeff${file.toString('utf8')}`, 'utf16le') : file;
  };
  for (const [name, file] of files) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content(name, file));
  }
  return Template.load(folder, undefined, { allowHttp: true });
}
