import { PassThrough } from 'node:stream';
import { count, counted, countedPasses, duration } from '../../number-format.js';
import { Output } from '../../output.js';
import { Progress } from './progress.js';

it.each([true, false])(
  'the progress bar on a terminal is coloured, except with NO_COLOR (coloured: %s)',
  (coloured) => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true });
    const io = { stderr, env: coloured ? {} : { NO_COLOR: '1' } } as never;
    const progress = new Progress({ io, output: new Output(io) });
    progress.update(500, 0.5);
    progress.end(500);
    const drawn = String(stderr.read());
    expect(drawn).toContain('50%');
    expect(drawn.includes('\u001b[32m█')).toBe(coloured);
  },
);

it('progress without a terminal is a plain line every few seconds, with the rate and the remaining time', () => {
  let now = 0;
  const written: string[] = [];
  const io = { stderr: { write: (text: string) => written.push(text) } } as never;
  const progress = new Progress({ io, output: new Output(io) }, 0, () => now);
  for (now = 1000; now <= 12_000; now += 1000) progress.update(now, now / 100_000);
  progress.update(12_000, 0.12, 'waiting for the service (not_ready)');
  expect(written).toEqual([
    '5%, 5,000 passes, 1,000/s, 1 min 35 s left\n',
    '10%, 10,000 passes, 1,000/s, 1 min 30 s left\n',
    expect.stringContaining('; waiting for the service (not_ready)'),
  ]);
  expect([duration(3.2), duration(7500), count(1234567)]).toEqual(['4 s', '2 h 5 min', '1,234,567']);
  expect([0, 1, 1200].map((rows) => counted(rows, 'row'))).toEqual(['0 rows', '1 row', '1,200 rows']);
  expect([countedPasses(1), countedPasses(2)]).toEqual(['1 pass', '2 passes']);
});
