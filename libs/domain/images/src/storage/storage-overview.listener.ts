import { Injectable } from '@nestjs/common';
import { AccountOverviewListener, type AccountOverviewParts } from '@passwright/accounts';
import { Listens } from '@passwright/core';
import { StoredImagesRepository } from './stored-images.repository.js';

/** Shows the stored bytes of images in the account overview. */
@Listens(AccountOverviewListener)
@Injectable()
export class StorageOverviewListener extends AccountOverviewListener {
  constructor(private readonly images: StoredImagesRepository) {
    super();
  }

  async describe(accountId: string): Promise<Pick<AccountOverviewParts, 'storage'>> {
    return { storage: await this.images.use(accountId) };
  }
}
