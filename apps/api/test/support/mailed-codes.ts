import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** Reads the mails in a service's outbox, oldest first, with joined lines. */
export function outboxMails(dataDir: string): string[] {
  const outbox = join(dataDir, 'outbox');
  const names = existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')) : [];
  return names
    .sort()
    .map((name) => readFileSync(join(outbox, name), 'utf8').replace(/=\n/g, '').replaceAll('=3D', '='));
}

/**
 * Returns a function that waits for another mail with a link to a page, and resolves with the code in the link. Each
 * mail is used once.
 */
export function mailedCodes(dataDir: string): (page: string, to: string) => Promise<string> {
  const seen = new Set<string>();
  return async (page, to) => {
    for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline; await pause(POLL_MS)) {
      for (const text of outboxMails(dataDir)) {
        const [, code] = new RegExp(`/${page}(?:\\?code=|/)([\\w-]{43,66})`).exec(text) ?? [];
        if (code && !seen.has(code) && text.includes(to)) {
          seen.add(code);
          return code;
        }
      }
    }
    throw new Error(`No mail with a link to ${page} came`);
  };
}
