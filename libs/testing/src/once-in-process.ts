import net from 'node:net';

const kept = Symbol.for('passwright.once-in-process');

/**
 * What `make` gave when it was first asked for under this name in the process. Jest gives each spec file new modules and
 * globals; core modules alone are shared by all files of a worker, so it is kept there. For what is slow to make and the
 * same for every file: keys, pictures. Never for what a test changes.
 */
export function onceInProcess<T>(name: string, make: () => T): T {
  const home = net as { [kept]?: Map<string, unknown> };
  const values = (home[kept] ??= new Map());
  if (!values.has(name)) values.set(name, make());
  return values.get(name) as T;
}
