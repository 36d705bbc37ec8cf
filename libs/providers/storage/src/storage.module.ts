import { Module } from '@nestjs/common';
import { BlobStorage, rootModule } from '@passwright/core';
import { LocalStorage } from './local-storage.js';
import { S3Storage } from './s3/s3-storage.js';
import { StorageOptions } from './storage.options.js';

/** Provides the `BlobStorage` that the options select. */
@Module({
  providers: [
    {
      provide: BlobStorage,
      inject: [StorageOptions],
      useFactory: ({ store }: StorageOptions): BlobStorage | Promise<BlobStorage> =>
        store.kind === 's3' ? S3Storage.load(store) : new LocalStorage(store.dir, store.threads),
    },
  ],
  exports: [BlobStorage],
})
export class StorageModule extends rootModule(StorageOptions) {}
