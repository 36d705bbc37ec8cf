import { Injectable } from '@nestjs/common';
import { type GoogleIdentity, GoogleWallet, WalletUnavailable } from '@passwright/core';
import { googleVertical, saveReferences, saveResources } from '@passwright/wallet-renderers';
import { GoogleContentRepository } from './google-content.repository.js';
import { classIdOf, googleId, objectIdOf } from './google-ids.js';
import { GoogleParts } from './google-parts.js';
import type { LinkedPass } from './google-passes.repository.js';
import { GooglePublisher } from './google-publisher.js';
import type { NewResource } from './google-resources.repository.js';

/** A link that adds passes to Google Wallet, and what whoever hands it out should know. */
export interface GoogleLink {
  readonly url: string;
  /** True when it is signed by a key that Google does not know: to look at, not to save. */
  readonly development: boolean;
  /** Sentences; such as why images are left out. */
  readonly notes: readonly string[];
}

/** Makes save links. What they refer to is written to Google first, when somebody wants it for the first time. */
@Injectable()
export class GoogleLinksService {
  constructor(
    private readonly google: GoogleWallet,
    private readonly contents: GoogleContentRepository,
    private readonly parts: GoogleParts,
    private readonly publisher: GooglePublisher,
  ) {}

  /**
   * One link for passes of one account.
   * @throws WalletUnavailable when Google does not take them now; what is missing there is tried again by itself
   */
  async link(accountId: string, passes: readonly LinkedPass[]): Promise<GoogleLink> {
    const identity = await this.google.identity(accountId);
    const { development, issuerId } = identity;
    const notes = this.notes(identity, passes);
    const resources = passes.flatMap((pass) => resourcesOf(issuerId, pass));
    if (development) return { url: await this.developmentLink(accountId, resources), development, notes };
    await this.publisher.publish(identity, resources);
    const references = passes.map((pass) => ({
      vertical: googleVertical(pass.type),
      objectId: googleId(issuerId, objectIdOf(pass)),
      classId: googleId(issuerId, classIdOf(accountId, pass.templateId, pass.type)),
    }));
    return { url: await this.google.saveLink(accountId, saveReferences(references)), development, notes };
  }

  /** With the classes and objects inside, as nothing of them is at Google. */
  private async developmentLink(accountId: string, resources: readonly NewResource[]): Promise<string> {
    const distinct = [...new Map(resources.map((resource) => [resource.id, resource])).values()];
    const content = await this.contents.read(accountId, distinct);
    const parts = distinct.flatMap((resource) => this.parts.current(resource, content)?.part ?? []);
    return this.google.saveLink(accountId, saveResources(parts));
  }

  private notes({ development }: GoogleIdentity, passes: readonly LinkedPass[]): string[] {
    const { imagesLeftOut } = this.parts;
    if (imagesLeftOut !== null && !development && passes.some(({ type }) => type === 'membership')) {
      throw new WalletUnavailable(
        `Google Wallet shows memberships with their logo alone, and cannot fetch it: ${imagesLeftOut}.`,
      );
    }
    return [
      ...(development ? ['A development link: Google Wallet does not know its issuer and saves nothing.'] : []),
      ...(imagesLeftOut === null ? [] : [`Images are left out, as Google cannot fetch them: ${imagesLeftOut}.`]),
    ];
  }
}

/** A pass's class and object, as rows. */
function resourcesOf(issuerId: string, { accountId, templateId, serialNumber, type }: LinkedPass): NewResource[] {
  const common = { accountId, issuerId, templateId, type };
  return [
    { ...common, id: classIdOf(accountId, templateId, type), serialNumber: null },
    { ...common, id: objectIdOf({ serialNumber }), serialNumber },
  ];
}
