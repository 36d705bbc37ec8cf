import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { WalletPassesModule } from '../wallets/wallet-passes.module.js';
import { PassMessagesService } from './pass-messages.service.js';

const services = [PassChangeNotifier, PassMessagesService];

/** Notifies listeners of changed passes, and adds messages to passes. */
@Module({ imports: [DiscoveryModule, WalletPassesModule], providers: services, exports: services })
export class PassMessagesModule {}
