// Requires every entry of every package.
const assert = require('node:assert/strict');

const entries = require('./entries.json');
for (const entry of entries) assert.ok(Object.keys(require(entry)).length > 0, `${entry} has exports`);
console.log(`${entries.length} entries required`);
