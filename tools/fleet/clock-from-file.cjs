// Loaded before the service (`node -r`): its clock shows what the file CLOCK_FILE says, milliseconds since 1970.
const { readFileSync } = require('node:fs');
const { SystemClock } = require('@passwright/core');

let last = 0;
SystemClock.prototype.now = () => {
  // Empty for the moment in which it is written anew.
  last = Number(readFileSync(process.env.CLOCK_FILE, 'utf8')) || last;
  return new Date(last);
};
