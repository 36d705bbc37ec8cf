/**
 * npm run docs:write: writes everything that is generated from the code: docs/openapi.json, .env.example and the
 * client's types.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';
import { build, root } from './install.mjs';
import { writeClient } from './write-client.mjs';

process.chdir(root);
build();
const require = createRequire(import.meta.url);
const { envExample } = require('../apps/api/dist/config/variables/variables.js');
const { loadConfig } = require('../apps/api/dist/config/config.js');
const { startService } = require('../apps/api/dist/start-service.js');

writeFileSync('.env.example', envExample());
const dataDir = mkdtempSync(join(tmpdir(), 'passwright-docs-'));
// Use the address for readers of the repository, whatever port this run listens on.
const config = loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', BASE_URL: 'http://localhost:3000', PORT: '0' });
const service = await startService(config);
const document = await (await fetch(`http://127.0.0.1:${service.port}/openapi.json`)).json();
// Put short objects on one line, which makes the file smaller and its differences easier to read.
const layout = { parser: 'json', objectWrap: /** @type {const} */ ('collapse'), printWidth: 200 };
writeFileSync('docs/openapi.json', await format(JSON.stringify(document), layout));
await service.stop('documents written');
rmSync(dataDir, { recursive: true });
await writeClient();
