import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Passwright } from './index.js';

it('what is generated is what npm run docs:client writes from the API document and the list of errors', () => {
  const tool = join(__dirname, '..', '..', '..', '..', 'tools', 'write-client.mjs');
  expect(() => execFileSync(process.execPath, [tool, '--check'], { stdio: 'pipe' })).not.toThrow();
});

it('requests and answers have types', () => {
  const calls = async (passwright: Passwright) => {
    // @ts-expect-error -- a template has to be named
    await passwright.createPass({ body: {} });
    // @ts-expect-error -- there is no such property
    await passwright.createPass({ templateId: 'gold', body: { primary: 'Ada' } });
    // @ts-expect-error -- an account is no list
    passwright.each('getAccount');
    // @ts-expect-error -- passes are listed by template
    passwright.each('listPasses');
    for await (const template of passwright.each('listTemplates', { type: 'event' })) template.issuerName.trim();
    const { pass, walletAUrl } = await passwright.createPass({ templateId: 'gold', body: {}, signal: undefined });
    return [pass.id, walletAUrl].map((text) => text.length);
  };
  // The compiler has said what there is to say.
  expect(calls).toBeInstanceOf(Function);
});
