import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

// `unzip` and `openssl` check the package, because neither of them uses our code.
for (const file of ['pass.json', 'manifest.json', 'signature', 'icon.png']) {
  execFileSync('unzip', ['-qo', 'ada.pkpass', file]);
}
execFileSync('openssl', [
  ...['cms', '-verify', '-binary', '-inform', 'DER', '-in', 'signature', '-content', 'manifest.json'],
  ...['-CAfile', 'chain/root.pem', '-purpose', 'any', '-out', '/dev/null'],
]);
const { resolve } = createRequire(import.meta.url);
let nest = null;
try {
  nest = resolve('@nestjs/common');
} catch {
  // The import is expected to fail, because this package must work without Nest.
}
if (nest) throw new Error(`Nest is installed, though nothing asks for it: ${nest}`);
console.log('ada.pkpass: signed, verified by openssl, without Nest');
