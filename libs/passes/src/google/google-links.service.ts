import { Injectable } from '@nestjs/common';
import { type GoogleIdentity, GoogleWallet, WalletUnavailable } from '@passwright/core';
import { type Template, TemplatesService } from '@passwright/templates';
import { googleVertical, saveReferences, saveResources } from '@passwright/wallet-renderers';
import type { Pass } from '../passes/pass.entity.js';
import { classIdOf, googleId, objectIdOf } from './google-ids.js';
import { GoogleParts } from './google-parts.js';
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

interface Shown {
  readonly template: Template;
  readonly pass: Pass;
}

/** Makes save links. What they refer to is written to Google first, when somebody wants it for the first time. */
@Injectable()
export class GoogleLinksService {
  constructor(
    private readonly google: GoogleWallet,
    private readonly templates: TemplatesService,
    private readonly parts: GoogleParts,
    private readonly publisher: GooglePublisher,
  ) {}

  /**
   * One link for passes of one account.
   * @throws WalletUnavailable when Google does not take them now; what is missing there is tried again by itself
   */
  async link(accountId: string, passes: readonly Pass[]): Promise<GoogleLink> {
    const identity = await this.google.identity(accountId);
    const shown = await this.withTemplates(accountId, passes);
    const notes = this.notes(identity, shown);
    if (identity.development)
      return { url: await this.developmentLink(accountId, identity, shown), development: true, notes };
    const resources = shown.flatMap((one) => resourcesOf(identity.issuerId, one));
    await this.publisher.publish(identity, resources);
    const references = shown.map(({ template, pass }) => ({
      vertical: googleVertical(template.type),
      objectId: googleId(identity.issuerId, objectIdOf(pass)),
      classId: googleId(identity.issuerId, classIdOf(accountId, template.id, template.type)),
    }));
    return { url: await this.google.saveLink(accountId, saveReferences(references)), development: false, notes };
  }

  private async withTemplates(accountId: string, passes: readonly Pass[]): Promise<Shown[]> {
    const ids = [...new Set(passes.map(({ templateId }) => templateId))];
    const templates = new Map(
      await Promise.all(ids.map(async (id) => [id, await this.templates.get(accountId, id)] as const)),
    );
    return passes.map((pass) => ({ pass, template: templates.get(pass.templateId) as Template }));
  }

  /** With the classes and objects inside, as nothing of them is at Google. */
  private developmentLink(accountId: string, { issuerId }: GoogleIdentity, shown: readonly Shown[]): Promise<string> {
    const classes = new Map(shown.map(({ template }) => [template.id, this.parts.classOf(template, issuerId)]));
    const objects = shown.map(({ template, pass }) => this.parts.objectOf(template, pass, issuerId));
    return this.google.saveLink(accountId, saveResources([...classes.values(), ...objects]));
  }

  private notes({ development }: GoogleIdentity, shown: readonly Shown[]): string[] {
    const { imagesLeftOut } = this.parts;
    const needsLogo = shown.some(({ template }) => template.type === 'membership');
    if (imagesLeftOut !== null && needsLogo && !development) {
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
function resourcesOf(issuerId: string, { template, pass }: Shown): NewResource[] {
  const { accountId, id: templateId, type } = template;
  const common = { accountId, issuerId, templateId, type };
  return [
    { ...common, id: classIdOf(accountId, templateId, type), serialNumber: null },
    { ...common, id: objectIdOf(pass), serialNumber: pass.serialNumber },
  ];
}
