import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock, Signer, tracePass } from '@passwright/core';
import { TemplateNotFound } from '@passwright/templates';
import { compilePackage, deletedPassJson, neutralIcon } from '@passwright/wallet-renderers';
import { type DeletedPassRow, DeletedWalletPassesRepository } from '@passwright/passes';
import type { PackageHead } from '../packages/apple-package-response.js';
import { type ApplePass, ApplePassesService } from '../packages/apple-passes.service.js';
import { DeviceActivity } from './device-activity.service.js';
import { PassTokenRejected } from '../packages/authentication-token.js';

/** A package for a device. It is not built yet. */
export interface LatestPass extends PackageHead {
  /**
   * @returns the buffers to send one after another; never write into them.
   * @throws WalletUnavailable
   */
  readonly build: () => Promise<Buffer[]>;
}

/** Finds the package of any pass that was ever issued. A deleted pass has a void package without content. */
@Injectable()
export class LatestPassesService {
  private readonly tombstones = compilePackage(neutralIcon());

  constructor(
    private readonly passes: ApplePassesService,
    private readonly deleted: DeletedWalletPassesRepository,
    private readonly activity: DeviceActivity,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds a pass without building or signing its package. The caller has checked the pass's token.
   * @throws PassTokenRejected if the account of the pass has another pass type, WalletUnavailable
   */
  async get(passTypeIdentifier: string, serialNumber: string): Promise<LatestPass> {
    const pass = (await this.live(serialNumber)) ?? (await this.tombstone(serialNumber));
    if (pass?.identity.passTypeIdentifier !== passTypeIdentifier) throw new PassTokenRejected();
    tracePass(serialNumber);
    return pass;
  }

  /** Records that a device has the package once the response is sent. Ignores HEAD requests. */
  noteFetch(
    serialNumber: string,
    { address: { accountId }, lastModified: versionAt }: PackageHead,
    { method }: IncomingMessage,
    response: ServerResponse,
  ): void {
    if (method !== 'GET') return;
    response.once('finish', () => {
      const { statusCode: status } = response;
      if (status !== 200 && status !== 304) return;
      this.activity.fetched({ accountId, serialNumber, versionAt, status, at: this.clock.now() });
    });
  }

  private async live(serialNumber: string): Promise<LatestPass | null> {
    const pass = await this.passes.findBySerialNumber(serialNumber);
    return pass && { build: () => this.build(pass), ...pass };
  }

  /** Builds the package. Allows for a deletion of the pass and its template since the look-up. */
  private async build(pass: ApplePass): Promise<Buffer[]> {
    try {
      return await this.passes.package(pass);
    } catch (error) {
      const tombstone = error instanceof TemplateNotFound && (await this.tombstone(pass.row.pass.serialNumber));
      if (!tombstone) throw error;
      return tombstone.build();
    }
  }

  private async tombstone(serialNumber: string): Promise<LatestPass | null> {
    const row = await this.deleted.find(serialNumber);
    if (!row) return null;
    const { address, deletedAt: lastModified } = row;
    const identity = await this.signer.identity(address.accountId);
    const head = { address, identity, lastModified, etag: etagOf(row, identity.fingerprint) };
    return { ...head, build: () => this.buildTombstone(row, head) };
  }

  private async buildTombstone(row: DeletedPassRow, { address, identity }: PackageHead): Promise<Buffer[]> {
    const passJson = deletedPassJson(row, this.passes.context(identity, row.serialNumber));
    const draft = this.tombstones.draft(JSON.stringify(passJson));
    return draft.finish(await this.passes.sign(address.accountId, identity, draft.manifest));
  }
}

/** Returns an ETag that differs from every ETag of the pass before its deletion. */
function etagOf({ serialNumber, deletedAt }: DeletedPassRow, fingerprint: string): string {
  return `W/"${serialNumber.slice(0, 8)}.deleted.${deletedAt.getTime().toString(36)}.${fingerprint.slice(0, 16)}"`;
}
