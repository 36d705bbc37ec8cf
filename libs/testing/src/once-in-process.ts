import net from 'node:net';

const stored = Symbol.for('passwright.once-in-process');

/**
 * Returns the result of the first call of `make` with this name in the process. Use it for values that are slow to
 * create and the same for every spec file, such as keys and images, but never for values that a test changes. The
 * results are in a core module, because spec files share no other modules.
 */
export function onceInProcess<T>(name: string, make: () => T): T {
  const home = net as { [stored]?: Map<string, unknown> };
  const values = (home[stored] ??= new Map());
  if (!values.has(name)) values.set(name, make());
  return values.get(name) as T;
}
