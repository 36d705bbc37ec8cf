import net from 'node:net';

const stored = Symbol.for('passwright.once-in-process');

/**
 * Returns the result of the first call of `make` with this name in the process. The results are in a core module,
 * because all spec files of a worker share only the core modules. Use it for values that are slow to create and the
 * same for every file, such as keys and images. Never use it for values that a test changes.
 */
export function onceInProcess<T>(name: string, make: () => T): T {
  const home = net as { [stored]?: Map<string, unknown> };
  const values = (home[stored] ??= new Map());
  if (!values.has(name)) values.set(name, make());
  return values.get(name) as T;
}
