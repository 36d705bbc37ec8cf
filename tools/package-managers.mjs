import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const versions = { pnpm: '10.28.0', '@yarnpkg/cli-dist': '4.12.0' };

/**
 * Prepares npm, pnpm and yarn to install packages of the scope `@passwright` from a registry, and all others from where
 * npm takes them. Apps are installed as they are, without overrides.
 *
 * @param {{ registry: string, folder: string, run: (command: string, args: string[], cwd: string, env?: object) => Promise<{ stdout: string }> }} options
 *   `folder` is where pnpm and yarn are installed when they are first used
 * @returns `installer(name)`: a function that installs an app and runs its tests
 */
export function packageManagers({ registry, folder, run }) {
  mkdirSync(folder, { recursive: true });
  let installed;
  const programs = () => (installed ??= installManagers(folder, run));
  const npm = {
    install: (app) => run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], app),
    test: (app) => run('npm', ['test', '--silent'], app),
  };
  const pnpm = {
    install: async (app) => run(await program('pnpm'), ['install', '--prefer-offline', '--ignore-scripts'], app),
    test: async (app) => run(await program('pnpm'), ['--silent', 'test'], app),
  };
  const yarn = (linker) => ({
    install: async (app) => run(await program('yarn'), ['install'], app, yarnSettings(linker)),
    test: async (app) => run(await program('yarn'), ['run', 'test'], app, yarnSettings(linker)),
  });
  const managers = { npm, pnpm, yarn: yarn('node-modules'), 'yarn (Plug’n’Play)': yarn('pnp') };

  async function program(name) {
    await programs();
    return join(folder, 'node_modules/.bin', name);
  }

  /** The settings of yarn, which reads no `.npmrc`. */
  function yarnSettings(linker) {
    return {
      YARN_NODE_LINKER: linker,
      // Its cache elsewhere would have the packages of an earlier registry at the same host.
      YARN_GLOBAL_FOLDER: join(folder, 'yarn'),
      YARN_ENABLE_SCRIPTS: 'false',
      YARN_ENABLE_TELEMETRY: 'false',
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    };
  }

  return {
    names: Object.keys(managers),
    async installAndTest(name, app) {
      const upstream = (await run('npm', ['config', 'get', 'registry'], folder)).stdout.trim();
      writeFileSync(join(app, '.npmrc'), `@passwright:registry=${registry}\n`);
      writeFileSync(join(app, '.yarnrc.yml'), yarnFile(registry, upstream));
      if (name.startsWith('yarn')) writeFileSync(join(app, 'yarn.lock'), '');
      await managers[name].install(app);
      return managers[name].test(app);
    },
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
    '',
  ].join('\n');
}
