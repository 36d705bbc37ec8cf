#!/usr/bin/env node
// This file is beside the sources, so that npm can link it as an executable before the first build.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '..', 'dist', 'main.js');
if (existsSync(main)) require(main);
else {
  process.stderr.write('Error: The command line is not built yet.\n  Build it: npm run build\n');
  process.exitCode = 1;
}
