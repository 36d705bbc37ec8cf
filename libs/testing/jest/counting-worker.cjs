/**
 * The worker of `growthsOf`. For each case of a file, counts the work for one input and for an input four times as
 * large. V8 counts only code that it compiles after the counting has begun, so this worker starts counting in a
 * separate thread before it loads the code.
 */
const { Session } = require('node:inspector/promises');
const { parentPort, workerData } = require('node:worker_threads');

/** The size of the smaller input, in characters, items or levels. */
const SIZE = 1000;
const FACTOR = 4;

let scanned = 0;
const session = new Session();

void run();

async function run() {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  require('./typescript-sources.cjs');
  const { cases } = require(workerData);
  countScans();
  const growths = [];
  for (const [name, inputOf, work] of cases) {
    // Run once without counting, because the first run also loads modules and fills caches.
    await settled(work, inputOf(SIZE));
    const small = await workOf(work, inputOf(SIZE));
    growths.push([name, (await workOf(work, inputOf(FACTOR * SIZE))) / small]);
  }
  parentPort?.postMessage(growths);
}

async function workOf(work, input) {
  // Each call of `takePreciseCoverage` resets the counts.
  await session.post('Profiler.takePreciseCoverage');
  scanned = 0;
  await settled(work, input);
  const natively = scanned;
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ranges = result.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
  return ranges.reduce((sum, { count }) => sum + count, natively);
}

async function settled(work, input) {
  try {
    await work(input);
  } catch (error) {
    // Ignore an error that rejects the input, because that is work too. Rethrow only a mistake in the case itself.
    if ((error instanceof TypeError || error instanceof ReferenceError) && !('code' in error)) throw error;
  }
}

/** Counts the items that native methods read when they search or copy an array, a text or a buffer. */
function countScans() {
  const whole = (self) => self.length;
  const result = (_self, _args, { length }) => length;
  // The number of items that a search reads, up to the match or the end.
  const distance = ({ length }, [, from], found) =>
    (found < 0 ? length : found) - (typeof from === 'number' ? from : 0);
  count(Array.prototype, ['includes', 'lastIndexOf', 'shift', 'unshift', 'splice', 'join', 'reverse'], whole);
  count(Array.prototype, ['concat', 'slice', 'flat'], result);
  count(
    String.prototype,
    ['includes', 'lastIndexOf', 'split', 'normalize', 'toLowerCase', 'toUpperCase', 'trim'],
    whole,
  );
  count(Buffer, ['concat', 'from'], result);
  count(Buffer.prototype, ['toString'], result);
  for (const { prototype } of [Array, String, Buffer]) count(prototype, ['indexOf'], distance);
  // Methods with a regular expression call `exec` once for each match.
  count(RegExp.prototype, ['exec'], (_self, _args, match) => (match ? match[0].length : 1));
}

function count(of, names, cost) {
  for (const name of names) {
    const native = of[name];
    Object.defineProperty(of, name, {
      ...Object.getOwnPropertyDescriptor(of, name),
      value(...args) {
        const found = native.apply(this, args);
        scanned += cost(this, args, found);
        return found;
      },
    });
  }
}
