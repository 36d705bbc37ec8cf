import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';

const isInstalled = (command: string, flag: string) => spawnSync(command, [flag]).error === undefined;

/** The tools that check packages: true if the tool is installed. */
export const strangers = { unzip: isInstalled('unzip', '-v'), openssl: isInstalled('openssl', 'version') };

/** A package, unpacked into its own folder. */
export class UnpackedPackage {
  private constructor(
    readonly dir: string,
    readonly names: readonly string[],
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a phone reads is what is asserted
    readonly pass: any,
    readonly manifest: Record<string, string>,
  ) {}

  static async of(bytes: Buffer): Promise<UnpackedPackage> {
    const dir = mkdtempSync(join(tmpdir(), 'passwright package '));
    const names = await unzip(bytes, dir);
    const json = (name: string) => JSON.parse(readFileSync(join(dir, name), 'utf8'));
    return new UnpackedPackage(dir, names, json('pass.json'), json('manifest.json'));
  }

  /**
   * Verifies the manifest's signature with OpenSSL.
   * @throws if it does not chain to this root
   */
  verify(rootPem: string): void {
    if (!strangers.openssl) return;
    const signed = ['-verify', '-binary', '-inform', 'DER', '-in', 'signature', '-content', 'manifest.json'];
    const trust = ['-CAfile', rootPem, '-purpose', 'any'];
    execFileSync('openssl', ['cms', ...signed, ...trust, '-out', '/dev/null'], { cwd: this.dir, stdio: 'pipe' });
  }

  remove(): void {
    rmSync(this.dir, { recursive: true });
  }
}

async function unzip(bytes: Buffer, dir: string): Promise<string[]> {
  if (strangers.unzip) {
    const file = join(dir, 'package');
    writeFileSync(file, bytes);
    execFileSync('unzip', ['-t', '-q', file]);
    rmSync(file);
  }
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  const names: string[] = [];
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error);
        void stream.toArray().then((chunks: Buffer[]) => {
          const file = join(dir, entry.fileName);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, Buffer.concat(chunks));
          names.push(entry.fileName);
          zip.readEntry();
        }, reject);
      });
    });
    zip.on('end', resolve).on('error', reject);
    zip.readEntry();
  });
  return names;
}
