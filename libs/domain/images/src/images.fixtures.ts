import { Global, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { AccountsModule, AccountsService } from '@passwright/accounts';
import { BlobStorage, Clock, Listens } from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { HttpModule } from '@passwright/http';
import { JobsModule } from '@passwright/jobs';
import { drawImagesOnce, FixedClock, MemoryStorage, testDatabase } from '@passwright/testing';
import sharp from 'sharp';
import { ImageListener } from './garbage/image.listener.js';
import { ImagesModule } from './images.module.js';
import type { PreparedImage } from './variants/prepared-image.js';

const baseUrl = 'http://localhost:3000';

// Cache drawn images, because these specs do not test drawing. image-codec.spec.ts tests it, without this cache.
drawImagesOnce(sharp);

@Global()
@Module({
  providers: [
    { provide: Clock, useValue: new FixedClock() },
    { provide: BlobStorage, useValue: new MemoryStorage() },
  ],
  exports: [Clock, BlobStorage],
})
class Providers {}

/** Reports one image per account as shown, like the libs of templates and passes. */
@Listens(ImageListener)
@Injectable()
export class ShownImages extends ImageListener {
  private readonly shown = new Map<string, PreparedImage>();

  /** Shows an image in place of the previous one. */
  show(accountId: string, image: PreparedImage): void {
    this.shown.set(accountId, image);
  }

  usesSource(accountId: string, source: string, recipe: number | null): Promise<boolean> {
    const image = this.shown.get(accountId);
    return Promise.resolve(image?.source === source && (recipe === null || recipe === image.recipe));
  }

  usedKeys(_tx: unknown, accountId: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const text = JSON.stringify(this.shown.get(accountId) ?? null);
    return Promise.resolve(new Set(keys.filter((key) => text.includes(/[0-9a-f]{64}/.exec(key)?.[0] ?? key))));
  }
}

/** Creates the images lib with a real database, in-memory storage and a fixed clock. */
export async function imagesModule(): Promise<TestingModule> {
  const { url } = await testDatabase();
  return Test.createTestingModule({
    imports: [
      Providers,
      DatabaseModule.forRoot({ url, poolSize: 8 }),
      JobsModule.forRoot({ url, run: false }),
      HttpModule.forRoot({ baseUrl, trustProxy: 0, requestsPerMinute: 0 }),
      AccountsModule.forRoot({
        accessTokenSecret: 'x'.repeat(32),
        accessTokenTtlSeconds: 900,
        refreshTokenTtlSeconds: 3600,
      }),
      ImagesModule.forRoot({ baseUrl, imageHostsAllowed: ['localhost'] }),
    ],
    providers: [ShownImages],
  }).compile();
}

export async function anAccount(module: Pick<TestingModule, 'get'>): Promise<string> {
  const { id } = await module
    .get(Database)
    .transaction((tx) => module.get(AccountsService).create(tx, { name: 'Test' }));
  return id;
}
