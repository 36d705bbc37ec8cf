import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 10_000;
const POLL_MS = 20;

/** Waits for the next mail in the outbox whose link leads to a page, and gives the code in the link; each once. `to`: of whom. */
export function mailedCodes(dataDir: string): (page: string, to: string) => Promise<string> {
  const [outbox, seen] = [join(dataDir, 'outbox'), new Set<string>()];
  return async (page, to) => {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(POLL_MS)) {
      const names = existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')) : [];
      for (const name of names.sort()) {
        const text = readFileSync(join(outbox, name), 'utf8').replace(/=\n/g, '').replaceAll('=3D', '=');
        const [, code] = new RegExp(`/${page}(?:\\?code=|/)([\\w-]{43,44})`).exec(text) ?? [];
        if (code && !seen.has(code) && text.includes(to)) {
          seen.add(code);
          return code;
        }
      }
    }
    throw new Error(`No mail with a link to ${page} came`);
  };
}
