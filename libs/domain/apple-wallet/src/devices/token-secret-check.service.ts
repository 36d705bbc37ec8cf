import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { deviceId } from './device-id.js';
import type { DeviceName } from './device-request.js';

/** The number of devices to compare. More would not make the result more certain. */
const COMPARED = 100;

const devicesSql = `
  SELECT account_id AS "accountId", id, pass_type_identifier AS "passTypeIdentifier",
    device_library_identifier AS "deviceLibraryIdentifier"
  FROM apple_device LIMIT ${COMPARED}`;

/**
 * Returns true if most registered devices have registered under another secret. Each device's id is derived from the
 * secret, so the ids tell. Compares some of the devices.
 * @param secret the node's `passTokenSecret`
 */
export async function isSecretForeign(reads: Pick<EntityManager, 'query'>, secret: string): Promise<boolean> {
  type Row = DeviceName & { readonly accountId: string; readonly id: string };
  const devices = await reads.query<Row[]>(devicesSql);
  const foreign = devices.filter((device) => device.id !== deviceId(secret, device.accountId, device));
  return foreign.length > devices.length / 2;
}

/**
 * Warns when the node starts with another secret than the nodes with which phones have registered. Such a node puts
 * tokens into passes that the other nodes reject, so these passes never update.
 */
@Injectable()
export class TokenSecretCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger('AppleWallet');

  constructor(
    private readonly database: Database,
    private readonly options: AppleWalletOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    try {
      if (!(await isSecretForeign(this.database.reads, this.options.passTokenSecret))) return;
      this.logger.error(
        'PASS_TOKEN_SECRET is not the secret under which the phones have registered. Passes that this node issues to ' +
          'phones never update. Stop this node, and give it the secret of the other nodes.',
      );
    } catch (error) {
      this.logger.warn(`The devices cannot be compared with PASS_TOKEN_SECRET: ${loggedError(error).message}`);
    }
  }
}
