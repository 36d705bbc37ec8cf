import { type Account, RunningService } from '../support/running-service.js';
import { UnpackedPackage } from '../support/unpacked-package.js';

describe('a service whose CONTENT_LANGUAGE is German', () => {
  let service: RunningService;
  let account: Account;

  beforeAll(async () => {
    service = await RunningService.start({ CONTENT_LANGUAGE: 'DE' });
    account = await service.register();
  });
  afterAll(() => service.stop());

  async function packageOf(walletAUrl: string) {
    const unpacked = await UnpackedPackage.of((await service.request('GET', walletAUrl)).bytes);
    unpacked.remove();
    return unpacked;
  }

  it('the labels that the service adds to a pass are in German, unless the template names another language', async () => {
    const validFrom = '2027-04-01T00:00:00.000Z';
    const issued = await account.issue('event', { validFrom });
    const { pass, names } = await packageOf(issued.body.walletAUrl);
    expect(pass.eventTicket.secondaryFields[0]).toMatchObject({ label: 'Datum', changeMessage: 'Datum: %@' });
    expect(pass.eventTicket.backFields[0]).toMatchObject({ label: 'Gültig ab' });
    expect(names.filter((name) => name.includes('lproj'))).toEqual([]);

    await account.saveTemplate('event', 'event', { language: 'fr' });
    const french = await packageOf(issued.body.walletAUrl);
    expect(french.pass.eventTicket.backFields[0]).toMatchObject({ label: 'Valable à partir du' });
  });

  it('phones and browsers treat the texts of a template without a language as German', async () => {
    await account.saveTemplate('event', 'fest', {
      title: 'Sommerfest',
      translations: { en: { title: 'Summer party' } },
    });
    const issued = await account.post('/v1/pass/fest', {});
    const { names, pass } = await packageOf(issued.body.walletAUrl);
    expect(names.filter((name) => name.endsWith('pass.strings')).sort()).toEqual([
      'de.lproj/pass.strings',
      'en.lproj/pass.strings',
    ]);
    expect(pass.description).toBe('Sommerfest');
    const titleFor = async (language: string) => {
      const headers = { 'Accept-Language': language };
      const page = (await service.request('GET', issued.body.webUrl, { headers })).bytes.toString();
      return /<h1[^>]*>([^<]*)/.exec(page)?.[1];
    };
    expect([await titleFor('de-AT, en'), await titleFor('en')]).toEqual(['Sommerfest', 'Summer party']);
  });

  it('Google Wallet gets the texts of a template without a language as German', async () => {
    const issued = await account.issue('generic');
    const { body } = await service.request('GET', issued.body.walletBUrl);
    const claims = JSON.parse(Buffer.from(body.url.split('.').at(-2), 'base64url').toString());
    expect(claims.payload.genericObjects).toMatchObject([
      {
        cardTitle: { defaultValue: { language: 'de', value: 'Summer offer' } },
        textModulesData: [{ id: 'issuer', header: 'Ausgestellt von', body: 'Analytical Engines' }],
      },
    ]);
  });
});
