import fs from 'node:fs';

it('readTypefaces skips a file that cannot be read; the first preview reads that file later', async () => {
  // Another spec file of this process may have read the typefaces already, so load the module again.
  await jest.isolateModulesAsync(async () => {
    const { readTypefaces, Typeface } = await import('./typeface.js');
    const font = require.resolve('roboto-fontface/fonts/roboto/Roboto-Regular.woff');
    const exhausted = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    const { readFileSync } = fs;
    // The test runner calls the same function, so fail only for typefaces.
    const read = jest.spyOn(fs, 'readFileSync').mockImplementation((...given: Parameters<typeof readFileSync>) => {
      if (given[0] === font) throw exhausted;
      return readFileSync(...given);
    });
    await expect(readTypefaces()).resolves.toBeUndefined();
    expect(read.mock.calls.filter(([path]) => path === font)).toHaveLength(1);
    read.mockRestore();
    expect(Typeface.of('regular').covers('Points')).toBe(true);
  });
});
