#!/usr/bin/env node
// npm links executables before the first build, when `dist` does not exist yet. Therefore this file is not in `dist`.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '..', 'dist', 'main.js');
if (existsSync(main)) require(main);
else {
  process.stderr.write('Error: The command line is not built yet.\n  Build it: npm run build\n');
  process.exitCode = 1;
}
