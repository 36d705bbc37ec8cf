// Loaded before the service (`node -r`): its clock shows what the file CLOCK_FILE says, milliseconds since 1970, and is
// ahead of it by CLOCK_OFFSET_MS.
const { readFileSync } = require('node:fs');
const { SystemClock } = require('@passwright/core');

const offset = Number(process.env.CLOCK_OFFSET_MS ?? 0);
let last = 0;
SystemClock.prototype.now = () => {
  // The file is empty at the moment when it is rewritten.
  last = Number(readFileSync(process.env.CLOCK_FILE, 'utf8')) || last;
  return new Date(last + offset);
};
