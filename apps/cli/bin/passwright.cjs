#!/usr/bin/env node
// npm links executables before the first build, so this file is not in `dist`, which does not exist yet at that time.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '..', 'dist', 'main.js');
if (existsSync(main)) require(main);
else {
  process.stderr.write('Error: The command line is not built yet.\n  Build it: npm run build\n');
  process.exitCode = 1;
}
