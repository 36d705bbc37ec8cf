import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
});

const svg = async (query = ''): Promise<string> => {
  const { body } = await account.get(`generic/ada/preview?format=svg${query}`).buffer(true).expect(200);
  return (body as Buffer).toString();
};

describe('the preview of a pass', () => {
  it('200 with the image, lint findings and shortened texts of the pass, but without its metadata', async () => {
    await account.template('generic', { title: 'Library card' });
    const primaryValue = 'Augusta Ada King-Noel, Countess of Lovelace, and more';
    const fields = [{ key: 'b', label: 'Branch', value: 'Two\nlines' }];
    const pass = { primaryValue, code: 'É-1', fields, metadata: { secret: 'hush' } };
    await account.post('generic/ada', pass).expect(200);
    const { body } = await account.get('generic/ada/preview').expect(200);
    expect(body.pictures[5]).toEqual({
      wallet: 'web',
      theme: 'dark',
      svgUrl: 'http://passes.example/v1/pass/generic/ada/preview?wallet=web&theme=dark&format=svg',
      pngUrl: 'http://passes.example/v1/pass/generic/ada/preview?wallet=web&theme=dark&format=png',
    });
    const ofPass = body.findings.filter((finding: { in: string }) => finding.in === 'pass');
    expect(ofPass.map(({ rule }: { rule: string }) => rule)).toEqual(
      expect.arrayContaining(['code-not-ascii', 'line-break-on-front']),
    );
    expect(body.cut).toEqual(
      expect.arrayContaining([
        {
          wallet: 'walletA',
          in: 'pass',
          path: '$.primaryValue',
          text: primaryValue,
          shown: expect.stringMatching(/…$/),
        },
        { wallet: 'walletA', in: 'pass', path: '$.fields[0].value', text: 'Two\nlines', shown: 'Two…' },
      ]),
    );
    const page = await account.get('generic/ada/preview?format=html').expect(200);
    for (const text of [JSON.stringify(body), page.text, await svg()]) expect(text).not.toContain('hush');
    expect(page.text).toContain('Countess of Lovelace');
    expect(await svg()).toContain('Countess of Lovelace');
  });

  it('a preview shows the passes of the group and the linked passes, and changes when they change', async () => {
    await account.template('generic', { title: 'Library card' });
    await account.post('generic/ada', { primaryValue: 'Ada', group: { id: 'family' } }).expect(200);
    const alone = await svg('&wallet=web');
    await account.post('generic/bob', { primaryValue: 'Bob', group: { id: 'family', order: 1 } }).expect(200);
    await account.post('generic/eve', { primaryValue: 'Eve' }).expect(200);
    const grouped = await svg('&wallet=web');
    expect([alone.includes('Bob'), grouped.includes('Bob'), grouped.includes('Eve')]).toEqual([false, true, false]);
    expect(await svg('&wallet=walletB')).toContain('1 / 2');
    const linkedPasses = [{ templateId: 'generic', passId: 'eve' }];
    await account.patch('generic/ada', { linkedPasses }).expect(200);
    expect(await svg('&wallet=web')).toContain('Eve');
    await account.patch('generic/bob', { primaryValue: 'Robert' }).expect(200);
    expect(await svg('&wallet=web')).toContain('Robert');
  });

  it('a preview changes as soon as the pass changes or expires, or the template is archived', async () => {
    await account.template('generic');
    await account.post('generic/ada', { primaryValue: 'Ada', expiry: '2026-11-20T11:00:00.000Z' }).expect(200);
    const steps: (() => unknown)[] = [
      () => account.patch('generic/ada', { primaryValue: 'Ada Lovelace' }).expect(200),
      () => app.clock.advance(3600),
      () => account.archive('generic'),
    ];
    for (const step of steps) {
      const before = await account.get('generic/ada/preview?format=png&wallet=web').expect(200);
      const etag = before.headers['etag'] ?? '';
      await account.get('generic/ada/preview?format=png&wallet=web').set('If-None-Match', etag).expect(304);
      await step();
      const after = await account
        .get('generic/ada/preview?format=png&wallet=web')
        .set('If-None-Match', etag)
        .expect(200);
      expect(after.body).not.toEqual(before.body);
    }
  });

  it('the preview shows the pass’s own thumbnail instead of the template’s', async () => {
    await account.template('generic');
    await account.post('generic/ada', { primaryValue: 'Ada' }).expect(200);
    const before = await svg();
    const thumbnail = await app.imageUrl(account.id, '#ff0000');
    await account.patch('generic/ada', { thumbnail }).expect(200);
    const images = (text: string) => text.match(/data:image[^"]+/g);
    expect(images(await svg())).not.toEqual(images(before));
    expect(images(await svg())).toHaveLength(images(before)?.length ?? 0);
  });

  it('404 pass_not_found for an unknown pass and for a pass of another account', async () => {
    await account.template('generic');
    await account.post('generic/ada', { primaryValue: 'Ada' }).expect(200);
    const other = await app.account();
    for (const response of [account.get('generic/bob/preview'), other.get('generic/ada/preview?format=png')]) {
      expect((await response.expect(404)).body.code).toBe('pass_not_found');
    }
  });
});
