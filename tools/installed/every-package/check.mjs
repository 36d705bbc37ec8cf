// Imports every entry of every package, and starts the Postgres that `@passwright/embedded-postgres` contains.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const entries = JSON.parse(readFileSync(new URL('entries.json', import.meta.url), 'utf8'));
for (const entry of entries) {
  const exported = await import(entry);
  assert.ok(
    Object.keys(exported).some((name) => name !== 'default'),
    `${entry} has named exports`,
  );
}

const { startEmbeddedPostgres } = await import('@passwright/embedded-postgres');
const dir = mkdtempSync(join(tmpdir(), 'passwright-every-package-'));
const postgres = await startEmbeddedPostgres({ dataDir: dir });
await postgres.stop();
rmSync(dir, { recursive: true });
console.log(`${entries.length} entries imported, Postgres started`);
