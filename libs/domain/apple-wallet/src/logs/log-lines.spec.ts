import fc from 'fast-check';
import { takenLines } from './log-lines.js';

const serial = 'Ab3dEf6hIj9lMn2pQr5tUv';

it('takenLines keeps each log line that may name a pass, and finds the possible serial numbers in the line', () => {
  const other = serial.replace('A', 'B');
  const ofAccount = serial + other.slice(0, 16);
  expect(
    takenLines([
      `Get pass task (pass type pass.x, serial number ${serial}, if-modified-since (null)) encountered error`,
      `device 0123456789abcdef0123456789abcdef, tag 0123456789.${serial}x`,
      `https://passes.example/v1/passes/pass.x/${serial} and ${other}, ${serial}`,
      `serial number ${ofAccount}: ${ofAccount}${serial}`,
      `${serial}-${serial} x${serial}`,
    ]),
  ).toEqual([
    { line: expect.stringMatching(/^Get pass task/), candidates: [serial] },
    { line: expect.stringMatching(/^https/), candidates: [serial, other] },
    { line: expect.stringMatching(/^serial/), candidates: [ofAccount] },
  ]);
});

it('takenLines keeps at most 100 log lines, with 1,000 characters and 3 serial numbers per line', () => {
  const serials = Array.from({ length: 60 }, (_, n) => serial.slice(2) + (10 + n));
  expect(takenLines(Array<string>(150).fill(serial))).toHaveLength(100);
  const [line] = takenLines([serials.join('; ')]);
  expect([line!.line.length, line!.candidates]).toEqual([1000, serials.slice(0, 3)]);
  expect(takenLines(['x'.repeat(990) + ` ${serial}`])).toEqual([]);
  expect(takenLines([`${serial}  ${'😀'.repeat(600)}`])[0]!.line).not.toMatch(/\p{Cs}/u);
});

it('takenLines removes control characters and lone surrogates from every log line', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u0000', '\u001b[31m', '\ud800', '\u202e', '\n'),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (parts) => {
      const [line] = takenLines([`${parts.join('')} ${serial}`]);
      expect(line?.line ?? '').not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e]/u);
    }),
  );
});

it.each(['a', 'a ', `${serial} `, '-', '\u0000'])(
  'takenLines keeps at most 1,000 characters of a log line that repeats %j',
  (unit) => {
    const lines = takenLines(Array<string>(200).fill(`${serial} ${unit.repeat(100_000)}`));
    expect([lines.length, Math.max(...lines.map(({ line }) => line.length)) <= 1000]).toEqual([100, true]);
  },
);
