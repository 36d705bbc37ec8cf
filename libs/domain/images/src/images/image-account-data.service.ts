import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData, type Pause } from '@passwright/accounts';
import { BlobStorage } from '@passwright/core';

const filesAtOnce = 200;

/** Deletes the images of a deleted account. */
@Injectable()
export class ImageAccountData implements OnModuleInit {
  constructor(
    private readonly data: AccountData,
    private readonly storage: BlobStorage,
  ) {}

  onModuleInit(): void {
    this.data.add({
      floor: 5,
      steps: [
        { table: 'image_hold', key: ['key'], hidden: 'all' },
        { table: 'stored_image', key: ['key'], hidden: 'all' },
        { table: 'image_usage', key: [], hidden: 'all' },
        { run: (accountId, pause) => this.deleteFiles(accountId, pause) },
      ],
    });
  }

  private async deleteFiles(accountId: string, pause: Pause): Promise<void> {
    while ((await this.storage.deleteUnder(`images/${accountId}`, filesAtOnce)) === filesAtOnce) pause();
  }
}
