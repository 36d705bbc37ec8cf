import { ImagesService } from '@passwright/images';
import { CompiledPackage } from '@passwright/wallet-renderers';
import { TestApp } from '../test-app.fixtures.js';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
afterEach(() => jest.restoreAllMocks());

/**
 * Serves a package with images and texts in this many languages.
 * @returns the size of each file list that the service built, counted in sets of files
 */
async function listsOf(languages: number, pass: (accountId: string) => Promise<object>): Promise<number[]> {
  const account = await app.account();
  const logo = await app
    .imageUrl(account.id, '#ff0000')
    .then((url) => app.get(ImagesService).prepare(account.id, url, 'logo', 'generic', 'logo'));
  const tags = Array.from({ length: languages }, (_, n) => `de-A${String.fromCharCode(65 + n)}`);
  await account.template('generic', {
    translations: Object.fromEntries(tags.map((tag) => [tag, { 'images.logo': 'x', title: tag }])),
    localisedImages: Object.fromEntries(tags.map((tag) => [tag, { logo }])),
  });
  await account.post('generic/ada', { primaryValue: '1', ...(await pass(account.id)) }).expect(200);
  const lists = jest.spyOn(CompiledPackage.prototype, 'with');
  await app.visit(`/v1/pass/${account.id}/generic/ada/walletA`).expect(200);
  const sets = lists.mock.calls.map(({ length }) => length);
  lists.mockRestore();
  return sets;
}

// Building one list for each language would take quadratic time, because each list contains the files of all sets.
it.each([
  ['', () => Promise.resolve({}), []],
  [' and its own thumbnail', async (id: string) => ({ thumbnail: await app.imageUrl(id, '#00ff00') }), [1]],
])(
  'the service lists the files of a package with many languages%s once, and not again for each language',
  async (_, pass, before) => {
    // One set of images for each language, one for the template’s own language, and one set of all texts.
    expect(await listsOf(2, pass)).toEqual([...before, 4]);
    expect(await listsOf(20, pass)).toEqual([...before, 22]);
  },
);
