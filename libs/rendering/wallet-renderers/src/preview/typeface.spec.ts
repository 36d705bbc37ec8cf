import fs from 'node:fs';
import { readTypefaces, Typeface } from './typeface.js';

it('readTypefaces leaves a file that cannot be read now to the first picture', async () => {
  const exhausted = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  const read = jest.spyOn(fs, 'readFileSync').mockImplementation(() => {
    throw exhausted;
  });
  await expect(readTypefaces()).resolves.toBeUndefined();
  expect(read).toHaveBeenCalledTimes(1);
  read.mockRestore();
  expect(Typeface.of('regular').covers('Points')).toBe(true);
});
