// Requires every entry of every package as CommonJS.
const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** @type {string[]} */
const entries = JSON.parse(readFileSync(join(__dirname, 'entries.json'), 'utf8'));
for (const entry of entries) assert.ok(Object.keys(require(entry)).length > 0, `${entry} has exports`);
console.log(`${entries.length} entries required`);
