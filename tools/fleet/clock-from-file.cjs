/**
 * Replaces the clock of the service. Load this file before the service with `node -r`. The clock then shows the time in
 * the file CLOCK_FILE, in milliseconds since 1970, plus CLOCK_OFFSET_MS.
 */
const { readFileSync } = require('node:fs');
const { DatabaseClock } = require('@passwright/database');

const offset = Number(process.env.CLOCK_OFFSET_MS ?? 0);
let last = 0;
DatabaseClock.prototype.now = () => {
  // The file is empty for a moment while the test rewrites it. Keep the previous time then.
  last = Number(readFileSync(process.env.CLOCK_FILE, 'utf8')) || last;
  return new Date(last + offset);
};
