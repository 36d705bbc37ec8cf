import { Module } from '@nestjs/common';
import { PassEncryptionService } from '../content/pass-encryption.service.js';
import { DeletedWalletPassesRepository } from './deleted-wallet-passes.repository.js';
import { HeldPassesRepository } from './held-passes.repository.js';
import { LinkedPassesRepository } from './linked-passes.repository.js';
import { MessagedPassesRepository } from './messaged-passes.repository.js';
import { PassContentsRepository } from './pass-contents.repository.js';
import { RelatedPassesRepository } from './related-passes.repository.js';
import { WalletPassesRepository } from './wallet-passes.repository.js';

const repositories = [
  WalletPassesRepository,
  DeletedWalletPassesRepository,
  LinkedPassesRepository,
  PassContentsRepository,
  HeldPassesRepository,
  MessagedPassesRepository,
  RelatedPassesRepository,
];

/** Reads passes for the wallet libs, and adds messages to passes. */
@Module({ providers: [PassEncryptionService, ...repositories], exports: [PassEncryptionService, ...repositories] })
export class WalletPassesModule {}
