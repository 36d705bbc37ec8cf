import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Failure } from '../failures.js';
import type { Io } from '../io.js';

/** Runs an entry point of the installed service. @returns its exit code. @throws Failure if no service is installed */
export async function runOfService(name: 'doctor' | 'operator', words: readonly string[], io: Io): Promise<number> {
  const child = spawn(process.execPath, [entryOf(name, io.cwd), ...words], {
    cwd: io.cwd,
    env: io.env,
    stdio: 'inherit',
  });
  // Ctrl-C also reaches the child process, which is in the same process group, so only wait for its end.
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 130;
}

/** Resolves the entry point from the working directory, or else from the location of this file. */
function entryOf(name: string, cwd: string): string {
  for (const from of [join(cwd, 'package.json'), __filename]) {
    try {
      const path = createRequire(from).resolve(`@passwright/api/${name}`);
      if (existsSync(path)) return path;
    } catch {
      // Try the next location.
    }
  }
  throw new Failure(
    `The service is not installed here, but ${name} needs it.`,
    `On the machine of the service, in its folder: npm run service:${name}\n` +
      `In its container: docker exec -it <container> node apps/api/dist/${name}.js`,
    'service_not_installed',
  );
}
