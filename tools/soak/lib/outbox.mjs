// Reads codes from the mails that a development node writes to its outbox.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { within } from './stage.mjs';

const TIMEOUT_SECONDS = 60;
const seen = new Set();

/** Waits for a mail to `to` with a link to `page` and returns the code in the link. Each code is returned once. */
export async function codeInOutbox(dataDir, page, to) {
  const outbox = join(dataDir, 'outbox');
  const link = new RegExp(`/${page}(?:\\?code=|/)([\\w-]{43,44})`);
  let code;
  const isThere = () => {
    const names = existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')) : [];
    for (const name of names.sort()) {
      if (seen.has(name)) continue;
      const text = readFileSync(join(outbox, name), 'utf8')
        .replace(/=\r?\n/g, '')
        .replaceAll('=3D', '=');
      const [, found] = link.exec(text) ?? [];
      if (!found || !text.includes(to)) continue;
      seen.add(name);
      code = found;
      return true;
    }
    return false;
  };
  if ((await within(TIMEOUT_SECONDS, isThere)) === Infinity)
    throw new Error(`No mail with a link to ${page} came for ${to}`);
  return code;
}
