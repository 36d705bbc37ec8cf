import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Listeners, tracePass } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import {
  type ChangedFront,
  PassListener,
  type PassSerial,
  type SentNotice,
  type TimelyMessage,
} from './pass.listener.js';
import { inSharedTransaction } from './shared-transaction.js';

/**
 * Calls every `PassListener` inside the transaction of a change. Calls all of them simultaneously, so that their
 * statements share round trips.
 */
@Injectable()
export class PassChangeNotifier {
  private readonly listeners: Listeners<PassListener>;

  constructor(discovery: DiscoveryService) {
    this.listeners = new Listeners(discovery, PassListener);
  }

  /** Notifies listeners of one changed, locked pass. */
  passChanged(tx: EntityManager, pass: PassSerial): Promise<void> {
    return this.passesChanged(tx, [pass]);
  }

  /** Notifies listeners of several changed, locked passes. */
  async passesChanged(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    const [first] = passes;
    if (!first) return;
    if (passes.length === 1) tracePass(first.serialNumber);
    await this.each(tx, (listener) => listener.passesChanged(tx, passes));
  }

  async templateChanged(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
    await this.each(tx, (listener) => listener.templateChanged(tx, accountId, templateId));
  }

  async messageSent(tx: EntityManager, pass: PassSerial, message: TimelyMessage): Promise<void> {
    await this.each(tx, (listener) => listener.messageSent(tx, pass, message));
  }

  /**
   * Notifies listeners of changed front fields of a locked pass.
   * @returns the notices about the changes that holders see
   */
  async frontChanged(tx: EntityManager, front: ChangedFront): Promise<SentNotice[]> {
    tracePass(front.serialNumber);
    return (await this.each(tx, (listener) => listener.frontChanged(tx, front))).flat();
  }

  /** Notifies listeners of changed front fields of several locked passes. */
  async frontsChanged(tx: EntityManager, fronts: readonly ChangedFront[]): Promise<void> {
    if (fronts.length === 0) return;
    await this.each(tx, (listener) => listener.frontsChanged(tx, fronts));
  }

  /** Returns the tombstones that no wallet still needs. */
  async unneededTombstones<Tombstone extends PassSerial>(
    tx: EntityManager,
    passes: readonly Tombstone[],
  ): Promise<Tombstone[]> {
    const needed = new Set<string>();
    const found = await this.each(tx, (listener) => listener.neededTombstones(tx, passes));
    for (const pass of found.flat()) needed.add(keyOf(pass));
    return passes.filter((pass) => !needed.has(keyOf(pass)));
  }

  async tombstonesDeleted(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    if (passes.length === 0) return;
    await this.each(tx, (listener) => listener.tombstonesDeleted(tx, passes));
  }

  /** Sends one message to the holders of several passes. */
  async messagesSent(tx: EntityManager, passes: readonly PassSerial[], message: TimelyMessage): Promise<void> {
    if (passes.length === 0) return;
    await this.each(tx, (listener) => listener.messagesSent(tx, passes, message));
  }

  /**
   * Calls all listeners and waits for all, even if one fails, because none may use the transaction after its rollback.
   * @throws the first error, for example if a listener begins a nested transaction
   */
  private each<T>(tx: EntityManager, call: (listener: PassListener) => Promise<T>): Promise<T[]> {
    return inSharedTransaction(tx, () => this.simultaneously(call));
  }

  private async simultaneously<T>(call: (listener: PassListener) => Promise<T>): Promise<T[]> {
    const errors: unknown[] = [];
    const calls = this.listeners.all.map(async (listener) => {
      try {
        return await call(listener);
      } catch (error) {
        errors.push(error);
        throw error;
      }
    });
    const results = await Promise.allSettled(calls);
    // Throw the first error, because later ones may only say that the transaction has failed.
    if (errors.length > 0) throw errors[0];
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }
}

const keyOf = ({ accountId, serialNumber }: PassSerial) => `${accountId}/${serialNumber}`;
