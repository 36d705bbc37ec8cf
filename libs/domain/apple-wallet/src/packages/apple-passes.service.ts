import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Signer, type SigningIdentity, versionSuffix, WalletUnavailable } from '@passwright/core';
import { type ApplePassContext, applePassJson } from '@passwright/wallet-renderers';
import { type PassAddress, PassNotFound, type WalletPass, WalletPassesRepository } from '@passwright/passes';
import { lastModifiedOf } from './last-modified.js';
import { PackageLayoutCache } from './package-layout-cache.js';
import { AppleWalletOptions } from '../apple-wallet.options.js';

/** A pass as Apple Wallet is to get it: all that can be told of its package before it is built. */
export interface ApplePass {
  readonly address: PassAddress;
  readonly row: WalletPass;
  readonly identity: SigningIdentity;
  /** Weak, as a package's signature holds the time it was made: another one whenever its content changes. */
  readonly etag: string;
  /** To the millisecond; rises by at least a second with each change of what a holder sees. */
  readonly lastModified: Date;
}

/** Makes the Apple Wallet package of a pass: built and signed at each request, never stored. */
@Injectable()
export class ApplePassesService {
  private readonly tokenSecret: KeyObject;

  constructor(
    private readonly options: AppleWalletOptions,
    private readonly repository: WalletPassesRepository,
    private readonly kits: PackageLayoutCache,
    private readonly signer: Signer,
  ) {
    this.tokenSecret = createSecretKey(Buffer.from(options.passTokenSecret));
  }

  /** Looks a pass up; nothing is built or signed yet. @throws PassNotFound, WalletUnavailable */
  async get(address: PassAddress): Promise<ApplePass> {
    const pass = await this.find(address);
    if (!pass) throw new PassNotFound(address.templateId, address.passId);
    return pass;
  }

  /** Null when there is no such pass. @throws WalletUnavailable */
  async find(address: PassAddress): Promise<ApplePass | null> {
    const row = await this.repository.find(address);
    return row && this.described(address, row);
  }

  /** By a serial number that came with its token; null when no pass has it. @throws WalletUnavailable */
  async findBySerialNumber(serialNumber: string): Promise<ApplePass | null> {
    const found = await this.repository.findBySerialNumber(serialNumber);
    return found && this.described(found.address, found.row);
  }

  /** @returns the package as a list of buffers to send one after the other; never write into them. @throws WalletUnavailable */
  async package({ address, row, identity }: ApplePass): Promise<Buffer[]> {
    const { template, kit } = await this.kits.for(address, row);
    const passJson = applePassJson(template, row.pass, this.context(identity, row.pass.serialNumber));
    const draft = kit.draft(JSON.stringify(passJson));
    return draft.finish(await this.sign(address.accountId, identity, draft.manifest));
  }

  /**
   * Signs what names `identity` inside. @throws WalletUnavailable also when the account has another certificate by now:
   * a package whose signature is not by the one that it names never opens
   */
  async sign(accountId: string, { fingerprint }: SigningIdentity, manifest: Uint8Array): Promise<Uint8Array> {
    const signature = await this.signer.sign(accountId, manifest);
    if ((await this.signer.identity(accountId)).fingerprint === fingerprint) return signature;
    throw new WalletUnavailable('The Apple Wallet certificate of the account is being changed; try again.');
  }

  /** What a package says besides its content. */
  context({ passTypeIdentifier, teamIdentifier }: SigningIdentity, serialNumber: string): ApplePassContext {
    const authenticationToken = this.authenticationToken(serialNumber);
    return { passTypeIdentifier, teamIdentifier, webServiceUrl: this.options.baseUrl, authenticationToken };
  }

  /** What a phone that holds the pass proves it with: the same for ever, and not to be had from the database alone. */
  authenticationToken(serialNumber: string): string {
    return createHmac('sha256', this.tokenSecret).update(serialNumber).digest('base64url');
  }

  private async described(address: PassAddress, row: WalletPass): Promise<ApplePass> {
    const identity = await this.signer.identity(address.accountId);
    const lastModified = lastModifiedOf(row.pass, row.template);
    return { address, row, identity, etag: etagOf(row, identity), lastModified };
  }
}

/** From versions, never from bytes: a conditional request is answered before anything is built. */
function etagOf({ pass, template }: WalletPass, { fingerprint }: SigningIdentity): string {
  const passVersion = `${pass.serialNumber.slice(0, 8)}.${pass.updatedAt.getTime().toString(36)}`;
  const templateVersion = `${template.createdAt.getTime().toString(36)}.${template.revision}`;
  return `W/"${passVersion}.${templateVersion}.${fingerprint.slice(0, 16)}${versionSuffix()}"`;
}
