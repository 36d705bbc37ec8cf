import type { PassAddress, WalletPass } from '@passwright/passes';
import type { Template, TemplatesService } from '@passwright/templates';
import { PageTemplates } from './page-templates.service.js';

const createdAt = new Date('2026-11-20T10:00:00.000Z');

/** Creates a cache of templates with a text of this length, and counts how often each is read. */
function cacheOf(length: number) {
  const reads = new Map<string, number>();
  const get = (_: string, id: string) => {
    reads.set(id, (reads.get(id) ?? 0) + 1);
    return Promise.resolve({ id, title: 'x'.repeat(length), createdAt, revision: 1 } as unknown as Template);
  };
  const cache = new PageTemplates({ get } as unknown as TemplatesService);
  const open = (templateId: string) => {
    const address = { accountId: 'acc', templateId, passId: 'p' } as PassAddress;
    return cache.get(address, { template: { createdAt, revision: 1 } } as unknown as WalletPass);
  };
  return { open, reads };
}

it('PageTemplates reads each template only once while the stored templates are small', async () => {
  const { open, reads } = cacheOf(1000);
  for (let times = 0; times < 2; times++) for (let n = 0; n < 1000; n++) await open(`t${n}`);
  expect([...reads.values()]).toEqual(Array(1000).fill(1));
});

it('PageTemplates keeps at most 32 MiB of templates, and drops the template that was used longest ago', async () => {
  const { open, reads } = cacheOf(2 ** 20);
  for (let n = 0; n < 31; n++) await open(`t${n}`);
  await open('t0');
  await open('other');
  await open('t0');
  await open('t1');
  expect([reads.get('t0'), reads.get('t1'), reads.get('other')]).toEqual([1, 2, 1]);
});
