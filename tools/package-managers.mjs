import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const plugAndPlay = 'yarn (Plug’n’Play)';
export const bunRuntime = 'bun, and Bun as the runtime';
const versions = { pnpm: '12.21.0', '@yarnpkg/cli-dist': '4.18.1', bun: '1.4.5' };

/**
 * Prepares npm, pnpm, yarn and Bun. They install packages of the scope `@passwright` from a given registry, and all
 * others from npm's registry. Apps need no overrides.
 * @param {{ registry: string, folder: string, run: (command: string, args: string[], cwd: string, env?: object) =>
 * Promise<{ stdout: string, stderr: string }> }} options `folder` is where pnpm, yarn and Bun are installed when they
 * are first used
 * @returns `install(name, app)` installs an app with a package manager; `runScript(name, app, script, env)` runs a
 * script of the app's manifest
 */
export function packageManagers({ registry, folder, run }) {
  mkdirSync(folder, { recursive: true });
  let installed;
  const programs = () => (installed ??= installManagers(folder, run));
  const npm = {
    install: (app) => run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], app),
    script: (app, script, env) => run('npm', ['run', '--silent', script], app, env),
  };
  const pnpm = {
    install: async (app) => run(await program('pnpm'), ['install', '--prefer-offline', '--ignore-scripts'], app),
    script: async (app, script, env) => run(await program('pnpm'), ['--silent', 'run', script], app, env),
  };
  const yarn = (linker) => ({
    install: async (app) => run(await program('yarn'), ['install'], app, yarnSettings(linker)),
    script: async (app, script, env) =>
      run(await program('yarn'), ['run', script], app, { ...yarnSettings(linker), ...env }),
  });
  const bun = (options) => ({
    install: async (app) => run(await bunProgram(), ['install', '--ignore-scripts'], app),
    script: async (app, script, env) => run(await bunProgram(), [...options, 'run', script], app, env),
  });
  const managers = {
    npm,
    pnpm,
    yarn: yarn('node-modules'),
    [plugAndPlay]: yarn('pnp'),
    bun: bun([]),
    // With this option, Bun also runs programs that are written for `node`.
    [bunRuntime]: bun(['--bun']),
  };

  async function program(name) {
    await programs();
    return join(folder, 'node_modules/.bin', name);
  }

  /** Returns the path of Bun's program for this machine. The install script, which would copy it, does not run. */
  async function bunProgram() {
    await programs();
    const machine = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`;
    return join(folder, `node_modules/@oven/bun-${machine}/bin/bun`);
  }

  /** Returns the settings of yarn, because yarn does not read `.npmrc`. */
  function yarnSettings(linker) {
    return {
      YARN_NODE_LINKER: linker,
      // Use a separate cache. A shared cache could contain packages from an earlier registry at the same address.
      YARN_GLOBAL_FOLDER: join(folder, 'yarn'),
      YARN_ENABLE_SCRIPTS: 'false',
      YARN_ENABLE_TELEMETRY: 'false',
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    };
  }

  return {
    names: Object.keys(managers),
    async install(name, app) {
      const upstream = (await run('npm', ['config', 'get', 'registry'], folder)).stdout.trim();
      // Bun ignores npm's settings outside of the app, so write them into the app.
      const everyone = name.startsWith('bun') ? `registry=${upstream}\n` : '';
      writeFileSync(join(app, '.npmrc'), `@passwright:registry=${registry}\n${everyone}`);
      writeFileSync(join(app, '.yarnrc.yml'), yarnFile(registry, upstream));
      if (name.startsWith('yarn') && !existsSync(join(app, 'yarn.lock'))) writeFileSync(join(app, 'yarn.lock'), '');
      return managers[name].install(app);
    },
    runScript: (name, app, script, env = {}) => managers[name].script(app, script, env),
  };
}

async function installManagers(folder, run) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: versions }));
  await run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
}

function yarnFile(registry, upstream) {
  const plain = [registry, upstream].filter((url) => url.startsWith('http:')).map((url) => new URL(url).hostname);
  return [
    `npmRegistryServer: '${upstream}'`,
    `npmScopes:\n  passwright:\n    npmRegistryServer: '${registry}'`,
    `unsafeHttpWhitelist: ${JSON.stringify([...new Set(plain)])}`,
    // The types of NestJS 12 import this package, but its manifest does not list it.
    `packageExtensions:\n  '@nestjs/core@^12':\n    dependencies:\n      '@standard-schema/spec': '^1.0.0'`,
    '',
  ].join('\n');
}
