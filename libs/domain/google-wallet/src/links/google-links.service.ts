import { Injectable } from '@nestjs/common';
import { Clock, type GoogleIdentity, GoogleWallet, type SaveLinkPayload, WalletUnavailable } from '@passwright/core';
import {
  googleVertical,
  maxSaveLinkLength,
  type RenderType,
  saveReferences,
  saveResources,
} from '@passwright/wallet-renderers';
import { type LinkedPass, LinkedPassesRepository, type PassAddress } from '@passwright/passes';
import { GoogleContentRepository } from '../sync/google-content.repository.js';
import { classIdOf, googleId, objectIdOf } from '../sync/google-ids.js';
import { GoogleRenderingService } from '../sync/google-rendering.service.js';
import { GooglePublisher } from '../sync/google-publisher.service.js';
import type { NewResource } from '../sync/google-resource.js';

/** A link that adds passes to Google Wallet, with hints for the caller. */
export interface GoogleLink {
  readonly url: string;
  /** True if Google does not know the key that signed the link. Such a link can be opened but saves nothing. */
  readonly development: boolean;
  /** Hints as sentences, for example about omitted images. */
  readonly notes: readonly string[];
}

/** Creates save links. First writes their objects to Google if Google does not have them yet. */
@Injectable()
export class GoogleLinksService {
  constructor(
    private readonly google: GoogleWallet,
    private readonly clock: Clock,
    private readonly passes: LinkedPassesRepository,
    private readonly contents: GoogleContentRepository,
    private readonly parts: GoogleRenderingService,
    private readonly publisher: GooglePublisher,
  ) {}

  /**
   * Finds the passes for a link, in order; null for a pass that does not exist. @param addresses addresses of passes of
   * one account
   */
  find(addresses: readonly PassAddress[]): Promise<(LinkedPass | null)[]> {
    return this.passes.find(addresses, this.clock.now());
  }

  /** Returns the Google issuer of the account's passes; null if the account's credential cannot be used. */
  findIdentity(accountId: string): Promise<GoogleIdentity | null> {
    return this.google.identity(accountId).catch(() => null);
  }

  /** Returns true if a pass of this type can have a link. */
  canLink(identity: GoogleIdentity | null, type: RenderType): identity is GoogleIdentity {
    return identity !== null && this.missingLogo(identity, [{ type }]) === null;
  }

  /**
   * Returns one link for several passes of one account.
   * @throws WalletUnavailable if Google does not accept them now; the queue tries again
   */
  async link(accountId: string, passes: readonly LinkedPass[]): Promise<GoogleLink> {
    const identity = await this.google.identity(accountId);
    const { development, issuerId } = identity;
    const problem = this.missingLogo(identity, passes);
    if (problem !== null) throw new WalletUnavailable(problem);
    const notes = this.notes(identity, passes);
    const resources = passes.flatMap((pass) => resourcesOf(issuerId, pass));
    const references = saveReferences(
      passes.map((pass) => ({
        vertical: googleVertical(pass.type),
        objectId: googleId(issuerId, objectIdOf(pass)),
        classId: googleId(issuerId, classIdOf(accountId, pass.templateId, pass.type)),
      })),
    );
    if (development) return this.developmentLink(accountId, resources, references, notes);
    await this.publisher.publish(identity, resources);
    return { url: await this.google.saveLink(accountId, references), development, notes };
  }

  /**
   * Builds a link that contains the classes and objects, because Google does not have them. If the link would be too
   * long, omits the layout of the fields. If it would still be too long, includes only ids.
   */
  private async developmentLink(
    accountId: string,
    rows: readonly NewResource[],
    references: SaveLinkPayload,
    notes: readonly string[],
  ): Promise<GoogleLink> {
    const distinct = [...new Map(rows.map((row) => [row.id, row])).values()];
    const content = await this.contents.read(accountId, distinct);
    const parts = distinct.flatMap((resource) => this.parts.current(resource, content)?.part ?? []);
    const choices = [
      { layout: true, own: [] },
      { layout: false, own: [noLayout] },
    ];
    for (const { layout, own } of choices) {
      const resources = saveResources(parts, { layout });
      // Do not sign content that is already too long, because a signed link is longer than its content.
      if (JSON.stringify(resources).length > maxSaveLinkLength) continue;
      const url = await this.google.saveLink(accountId, resources);
      if (url.slice(url.lastIndexOf('/') + 1).length <= maxSaveLinkLength) {
        return { url, development: true, notes: [...notes, ...own] };
      }
    }
    const named = await this.google.saveLink(accountId, references);
    return { url: named, development: true, notes: [...notes, tooLong] };
  }

  /** Returns the reason why Google cannot show passes of these types; null if Google can show them. */
  private missingLogo({ development }: GoogleIdentity, passes: readonly Pick<LinkedPass, 'type'>[]): string | null {
    const { imagesLeftOut } = this.parts;
    if (imagesLeftOut === null || development || !passes.some(({ type }) => type === 'membership')) return null;
    return `Google Wallet shows memberships with their logo alone, and cannot fetch it: ${imagesLeftOut}.`;
  }

  private notes({ development }: GoogleIdentity, passes: readonly LinkedPass[]): string[] {
    const { imagesLeftOut } = this.parts;
    const ended = passes.filter(({ hasEnded }) => hasEnded).map(({ templateId, passId }) => `${templateId}:${passId}`);
    return [
      ...(development ? ['A development link: Google Wallet does not know its issuer and saves nothing.'] : []),
      ...(imagesLeftOut === null ? [] : [`Images are left out, as Google cannot fetch them: ${imagesLeftOut}.`]),
      ...(ended.length > 0 ? [`Not valid any more, and shown among expired passes: ${ended.join(', ')}.`] : []),
    ];
  }
}

const noLayout = `The link leaves out the layout of the fields, because it would be longer than ${maxSaveLinkLength} characters.`;
const tooLong =
  `With all of the pass inside the link would be longer than ${maxSaveLinkLength} characters, which browsers may cut: it names ` +
  'the pass only. With an issuer every link does.';

/** Returns the rows of a pass's class and object. */
function resourcesOf(issuerId: string, { accountId, templateId, serialNumber, type }: LinkedPass): NewResource[] {
  const common = { accountId, issuerId, templateId, type };
  return [
    { id: classIdOf(accountId, templateId, type), serialNumber: null, ...common },
    { id: objectIdOf({ serialNumber }), serialNumber, ...common },
  ];
}
