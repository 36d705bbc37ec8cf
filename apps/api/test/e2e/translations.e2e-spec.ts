import { shownPass } from '@passwright/testing';
import { AppleWalletWorld, type Held, mustBe, points, until } from '../support/apple-wallet-world.js';
import { eventually, GoogleWalletWorld } from '../support/google-wallet-world.js';
import type { Account } from '../support/running-service.js';

const translations = {
  de: { title: 'Sommerfest', 'fields.points.label': 'Punkte' },
  'pt-BR': { title: 'Festa de verão', 'fields.points.label': 'Pontos' },
};
const template = { title: 'Summer party', language: 'en', translations };

describe('a translated pass on phones', () => {
  let world: AppleWalletWorld;
  let account: Account;

  beforeAll(async () => {
    world = await AppleWalletWorld.start();
    account = await world.newAccount();
  });
  afterAll(() => world.stop());

  /** Returns the title and the points that a phone with these languages shows. */
  function seenOn({ phone, serial }: Held, ...languages: string[]) {
    const { description, coupon } = shownPass(phone.passes.get(serial)!, languages) as {
      description: string;
      coupon: Record<string, { key: string; label: string; value: string }[]>;
    };
    const field = Object.values(coupon)
      .flat()
      .find(({ key }) => key === 'points')!;
    return [description, field.label, field.value];
  }

  it('each phone shows the pass in its own language, and shows a changed translation', async () => {
    await world.saveTemplate(account, 'party', template);
    await world.templatesMarked();
    const own = { translations: { de: { 'fields.points.value': 'sieben' } } };
    const held = await world.hold(account, 'party', { ...points('seven'), ...own });
    expect(seenOn(held, 'de-AT', 'en')).toEqual(['Sommerfest', 'Punkte', 'sieben']);
    expect(seenOn(held, 'pt-BR')).toEqual(['Festa de verão', 'Pontos', 'seven']);
    expect(seenOn(held, 'en-GB', 'de')).toEqual(['Summer party', 'Points', 'seven']);
    expect(seenOn(held, 'sv')).toEqual(['Summer party', 'Points', 'seven']);

    mustBe(200, await account.patch(held.path, { translations: { de: { 'fields.points.value': 'acht' } } }));
    await until(
      () => seenOn(held, 'de')[2],
      (value) => value === 'acht',
    );
    await world.saveTemplate(account, 'party', { ...template, translations: { de: { title: 'Fest' } } });
    await until(
      () => seenOn(held, 'de')[0],
      (title) => title === 'Fest',
    );
    expect(held.phone.failed).toEqual([]);
    expect(held.phone.logLines).toEqual([]);
  });

  it('a phone accepts a package whose languages have their own images', async () => {
    const own = 'https://passes.example.com/images/samples/icon.png';
    const images = { de: { title: 'Bilder', 'images.logo': own }, fr: { title: 'Images' } };
    await world.saveTemplate(account, 'pictures', { title: 'Pictures', translations: images });
    await world.templatesMarked();
    const held = await world.hold(account, 'pictures', points('1'));
    const { files } = held.phone.passes.get(held.serial)!;
    const logos = [...files.keys()].filter((name) => /logo/.test(name)).sort();
    const scales = ['logo.png', 'logo@2x.png', 'logo@3x.png'];
    expect(logos).toEqual(['de', 'en', 'fr'].flatMap((language) => scales.map((name) => `${language}.lproj/${name}`)));
    expect(files.get('fr.lproj/logo.png')).toEqual(files.get('en.lproj/logo.png'));
    expect(files.get('de.lproj/logo.png')).not.toEqual(files.get('en.lproj/logo.png'));
    expect(held.phone.failed).toEqual([]);
    const { body } = await account.get('/v1/templates/pictures');
    expect(body.translations).toEqual(images);
  });
});

describe('a translated pass at Google', () => {
  let world: GoogleWalletWorld;

  beforeAll(async () => {
    world = await GoogleWalletWorld.start();
  });
  afterAll(() => world.stop());

  it('Google has the texts in every language until the template no longer has translations', async () => {
    const account = await world.service.register();
    const fields = [{ key: 'points', label: 'Points', value: '0' }];
    await world.template(account, 'offer', 'party', { ...template, fields });
    mustBe(200, await account.post('/v1/pass/party/ada', points('7')));
    const link = await eventually('the link', async () => {
      const { status, body } = await world.service.request('GET', `/v1/pass/${account.id}/party/ada/walletB`);
      return status === 200 ? (body.url as string) : null;
    });
    const found = () => JSON.stringify([[...world.google.classes.values()], world.objectOf(link)]);
    for (const text of ['Sommerfest', 'Festa de verão', 'Punkte', 'Pontos']) expect(found()).toContain(text);
    expect(world.objectOf(link)).toMatchObject({
      textModulesData: [expect.objectContaining({ header: 'Points', localizedHeader: expect.any(Object) })],
    });
    await world.template(account, 'offer', 'party', { title: 'Summer party', fields });
    await eventually('no translation', () => !/Sommerfest|Punkte|Pontos|Festa/.test(found()));
  });
});
