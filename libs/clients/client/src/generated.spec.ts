import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Passwright } from './index.js';

it('the generated files match the output of npm run docs:client', () => {
  const tool = join(__dirname, '..', '..', '..', '..', 'tools', 'write-client.mjs');
  expect(() => execFileSync(process.execPath, [tool, '--check'], { stdio: 'pipe' })).not.toThrow();
});

it('the types of requests and responses reject invalid calls', () => {
  const calls = async (passwright: Passwright) => {
    // @ts-expect-error -- the template is required
    await passwright.createPass({ body: {} });
    // @ts-expect-error -- this property does not exist
    await passwright.createPass({ templateId: 'gold', body: { primary: 'Ada' } });
    // @ts-expect-error -- an account is not a list
    passwright.each('getAccount');
    // @ts-expect-error -- passes are listed by template
    passwright.each('listPasses');
    for await (const template of passwright.each('listTemplates', { type: 'event' })) template.issuerName.trim();
    const { pass, walletAUrl } = await passwright.createPass({ templateId: 'gold', body: {}, signal: undefined });
    return [pass.id, walletAUrl].map((text) => text.length);
  };
  // The test is that this file compiles.
  expect(calls).toBeInstanceOf(Function);
});
