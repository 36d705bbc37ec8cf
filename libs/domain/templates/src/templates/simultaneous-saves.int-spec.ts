import type { TestingModule } from '@nestjs/testing';
import { ImagesService } from '@passwright/images';
import sharp from 'sharp';
import { anAccount, aPassOf, aRequest, templatesModule } from '../templates.fixtures.js';
import { TemplatesService } from './templates.service.js';

const POOL_SIZE = 8;
let nest: TestingModule;
beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
});
afterAll(() => nest.close());

it('simultaneous saves succeed on every connection of the pool, because no save needs a second connection', async () => {
  const accountId = await anAccount(nest);
  const dot = sharp({ create: { width: 8, height: 8, channels: 3, background: '#1f2a6b' } });
  const url = await nest.get(ImagesService).store('acc_plain', await dot.png().toBuffer(), 'icon');
  const templates = nest.get(TemplatesService);
  const save = async (title: string) =>
    templates.store(accountId, 't', await aRequest('offer', { icon: url, logo: url, banner: url, title }), null);
  await save('first');
  await aPassOf(nest, accountId, 't', 'offer');
  const saved = await Promise.allSettled(Array.from({ length: POOL_SIZE }, (_, at) => save(`title ${at}`)));
  expect(saved.map(({ status }) => status)).toEqual(saved.map(() => 'fulfilled'));
}, 60_000);
