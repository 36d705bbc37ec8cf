import { bunRuntime, plugAndPlay } from '../package-managers.mjs';
import { maintainedNodes } from '../node-versions.mjs';

/**
 * The apps that are installed from tarballs. `nest` means that an app uses NestJS. `modules` lists the module systems
 * in which it runs unchanged. An app without `modules` supports only its own module system. @type {Record<string, {
 * about: string, nest?: true, modules?: string[] }>}
 */
export const apps = {
  'plain-script': { about: 'plain script' },
  serverless: { about: 'serverless bundles, ESM and CommonJS' },
  'command-line': { about: 'command line' },
  'every-package': { about: 'every package, by `import` and `require`', nest: true },
  'fastify-app': { about: 'app on Fastify', nest: true, modules: ['commonjs', 'module'] },
  'nest-app': { about: 'complete app on Express', nest: true, modules: ['commonjs', 'module'] },
  'passes-only': { about: 'passes alone', nest: true, modules: ['commonjs', 'module'] },
};

/**
 * The combinations to run for each change, on the current version of Node. They cover the greatest differences between
 * package managers. @type {{ app: string, manager: string, nest?: number }[]}
 */
const short = [
  ...Object.keys(apps)
    .filter((app) => app !== 'command-line')
    .map((app) => ({ app, manager: 'npm', nest: 11 })),
  { app: 'nest-app', manager: 'npm', nest: 12 },
  { app: 'passes-only', manager: 'pnpm', nest: 11 },
  { app: 'plain-script', manager: plugAndPlay },
  { app: 'command-line', manager: plugAndPlay },
];

/**
 * Returns the combinations to run for each change of the code. Apps on NestJS 12 run as ES modules, and all others in
 * their own module system.
 */
export function shortForm() {
  return short.map((each) => ({ ...each, modules: each.nest === 12 ? ['module'] : [null] }));
}

/** Returns all combinations of an app, a package manager, a version of NestJS and a module system. */
export function wholeForm(managers) {
  return Object.entries(apps).flatMap(([app, { nest, modules = [null] }]) =>
    (nest ? [11, 12] : [undefined]).flatMap((version) =>
      managers
        .filter((manager) => manager !== bunRuntime || app === 'plain-script')
        .map((manager) => ({ app, manager, nest: version, modules })),
    ),
  );
}

/**
 * Returns why a combination cannot run on a version of Node, or null if it can.
 * @param {{ manager: string, nest?: number }} combination
 * @param {string} node the major version
 */
export function reasonNotToRun({ manager, nest }, node) {
  if (manager === bunRuntime && node !== maintainedNodes[0]) return 'Bun is the runtime';
  if (manager === plugAndPlay && nest === 12 && Number(node) < 24) {
    return 'Yarn’s loader of ES modules does not find reflect-metadata before Node 24';
  }
  return null;
}

export function nameOf({ app, manager, nest = undefined, module = undefined }) {
  const isNest = apps[app].nest;
  return [app, manager, ...(isNest ? [`Nest ${nest}`] : []), ...(module ? [module] : [])].join(', ');
}
