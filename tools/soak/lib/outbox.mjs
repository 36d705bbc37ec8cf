// Reads codes from the mails in the outbox, a folder into which a development node writes its mails.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { within } from './stage.mjs';

const TIMEOUT_SECONDS = 60;
const seen = new Set();

/**
 * Waits for a mail to `to` with a link to `page`.
 * @returns the code in the link; it returns each code only once
 * @param {string[]} dataDirs the data folders of the nodes, which may all be the same
 */
export async function codeInOutbox(dataDirs, page, to) {
  const outboxes = [...new Set(dataDirs)].map((dataDir) => join(dataDir, 'outbox'));
  const link = new RegExp(`/${page}(?:\\?code=|/)([\\w-]{43,66})`);
  let code;
  const isThere = () => {
    for (const mail of outboxes.flatMap(mailsIn)) {
      if (seen.has(mail)) continue;
      const text = readFileSync(mail, 'utf8')
        .replace(/=\r?\n/g, '')
        .replaceAll('=3D', '=');
      const [, found] = link.exec(text) ?? [];
      if (!found || !text.includes(to)) continue;
      seen.add(mail);
      code = found;
      return true;
    }
    return false;
  };
  if ((await within(TIMEOUT_SECONDS, isThere)) === Infinity)
    throw new Error(`No mail with a link to ${page} came for ${to}`);
  return code;
}

/** Lists the mails in a folder in the order in which they were sent. */
function mailsIn(outbox) {
  const names = existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')) : [];
  return names.sort().map((name) => join(outbox, name));
}
