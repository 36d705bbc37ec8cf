import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Signer, type SigningIdentity, versionSuffix, WalletUnavailable } from '@passwright/core';
import { type ApplePassContext, compileFiles, localisedPass } from '@passwright/wallet-renderers';
import {
  groupingIdOf,
  IssuedPassesService,
  type PassAddress,
  type WalletPass,
  WalletPassesRepository,
} from '@passwright/passes';
import { authenticationToken } from './authentication-token.js';
import { lastModifiedOf } from './last-modified.js';
import { PackageLayoutCache } from './package-layout-cache.js';
import { AppleWalletOptions } from '../apple-wallet.options.js';

/** An Apple Wallet pass, with the properties of its package that are known before it is built. */
export interface ApplePass {
  readonly address: PassAddress;
  readonly row: WalletPass;
  readonly identity: SigningIdentity;
  /**
   * A weak ETag that changes with the content. It is not strong, because each signature contains the time of signing.
   */
  readonly etag: string;
  /** The version in milliseconds. It grows by at least a second with each change that a holder can see. */
  readonly lastModified: Date;
}

/** Builds and signs the Apple Wallet package of a pass for each request. Packages are never stored. */
@Injectable()
export class ApplePassesService {
  private readonly tokenSecret: KeyObject;

  constructor(
    private readonly options: AppleWalletOptions,
    private readonly repository: WalletPassesRepository,
    private readonly layouts: PackageLayoutCache,
    private readonly signer: Signer,
    private readonly issued: IssuedPassesService,
  ) {
    this.tokenSecret = createSecretKey(Buffer.from(options.passTokenSecret));
  }

  /** Finds a pass without building or signing its package. @throws PassNotFound, WalletUnavailable */
  async get(address: PassAddress): Promise<ApplePass> {
    const pass = await this.find(address);
    if (!pass) throw await this.issued.notFound(address);
    return pass;
  }

  /**
   * Finds a pass without building or signing its package; returns null if the pass does not exist. @throws
   * WalletUnavailable
   */
  async find(address: PassAddress): Promise<ApplePass | null> {
    const row = await this.repository.find(address);
    return row && this.described(address, row);
  }

  /**
   * Finds a pass by a serial number whose token was checked; returns null if no pass has it. @throws WalletUnavailable
   */
  async findBySerialNumber(serialNumber: string): Promise<ApplePass | null> {
    const found = await this.repository.findBySerialNumber(serialNumber);
    return found && this.described(found.address, found.row);
  }

  /**
   * @returns the buffers of the package, to send one after another; never write into them.
   * @throws WalletUnavailable
   */
  async package({ address, row, identity }: ApplePass): Promise<Buffer[]> {
    const shared = await this.layouts.for(address, row);
    const { template } = shared;
    const hasArtwork = template.images.artwork !== undefined;
    const { serialNumber, group } = row.pass;
    const grouping = group && { groupingIdentifier: groupingIdOf(address.accountId, group.id) };
    const context = { hasArtwork, ...this.context(identity, serialNumber), ...grouping };
    const localised = localisedPass(template, row.pass, context);
    const { images, languages } = await this.layouts.imagesOf(address, row, shared, localised.languages);
    // `localised.files` has the order of `localised.languages`, and `languages` contains the first of these languages.
    const tables = localised.files.slice(0, languages.length);
    const layout = tables.length > 0 ? shared.layout.with(...images, compileFiles(tables)) : shared.layout;
    const draft = layout.draft(JSON.stringify(localised.json));
    return draft.finish(await this.sign(address.accountId, identity, draft.manifest));
  }

  /**
   * Signs a manifest. Checks the certificate, because a package opens only if its signature matches the certificate
   * that it names.
   * @throws WalletUnavailable if the certificate of the account is no longer that of the identity
   */
  async sign(accountId: string, { fingerprint }: SigningIdentity, manifest: Uint8Array): Promise<Uint8Array> {
    const signature = await this.signer.sign(accountId, manifest);
    if ((await this.signer.identity(accountId)).fingerprint === fingerprint) return signature;
    throw new WalletUnavailable('The Apple Wallet certificate of the account is being changed; try again.', 1);
  }

  /** Returns the fields of a package that are not content of the pass. */
  context({ passTypeIdentifier, teamIdentifier }: SigningIdentity, serialNumber: string): ApplePassContext {
    const authenticationToken = this.authenticationToken(serialNumber);
    const { baseUrl: webServiceUrl, language } = this.options;
    return { passTypeIdentifier, teamIdentifier, webServiceUrl, authenticationToken, ...(language && { language }) };
  }

  /** Returns the authentication token of a pass. */
  authenticationToken(serialNumber: string): string {
    return authenticationToken(this.tokenSecret, serialNumber);
  }

  private async described(address: PassAddress, row: WalletPass): Promise<ApplePass> {
    const identity = await this.signer.identity(address.accountId);
    const lastModified = lastModifiedOf(row.pass, row.template);
    return { address, row, identity, etag: etagOf(row, identity), lastModified };
  }
}

/** Returns an ETag from version numbers instead of bytes, so that conditional requests need no build. */
function etagOf({ pass, template }: WalletPass, { fingerprint }: SigningIdentity): string {
  const passVersion = `${pass.serialNumber.slice(0, 8)}.${pass.updatedAt.getTime().toString(36)}`;
  const templateVersion = `${template.createdAt.getTime().toString(36)}.${template.revision}`;
  return `W/"${passVersion}.${templateVersion}.${fingerprint.slice(0, 16)}${versionSuffix()}"`;
}
