import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import type { PreparedImages } from '@passwright/images';
import type { Template } from '@passwright/templates';
import {
  googleClass,
  type GoogleContext,
  googleDeletedObject,
  type GoogleImages,
  googleObject,
  type GooglePart,
} from '@passwright/wallet-renderers';
import { groupingIdOf, type Pass } from '@passwright/passes';
import { GoogleWalletOptions } from '../google-wallet.options.js';
import type { GoogleContent, LinkedObject } from './google-content.repository.js';
import { classIdOf, googleId, objectIdOf } from './google-ids.js';
import type { NewResource } from './google-resource.js';
import { unreachableBecause } from './public-base-url.js';

/** The desired content of a class or an object, with its hash. */
export interface CurrentPart {
  readonly part: GooglePart;
  readonly hash: Buffer;
}

/** Renders classes and objects in their current state. */
@Injectable()
export class GoogleRenderingService {
  /** The reason why the service omits images, as the end of a sentence; null if it includes them. */
  readonly imagesLeftOut: string | null;

  constructor(
    private readonly options: GoogleWalletOptions,
    private readonly clock: Clock,
  ) {
    this.imagesLeftOut = unreachableBecause(options.baseUrl);
  }

  /** @returns null if there is nothing to show, for example for the class of a deleted template */
  current(resource: NewResource, { templates, passes, deleted, linked }: GoogleContent): CurrentPart | null {
    const { issuerId, accountId, templateId, type, serialNumber } = resource;
    const found = templates.get(templateId);
    // Ignore a deleted template that was created again with another type, because that type has its own class.
    const template = found?.type === type ? found : undefined;
    if (serialNumber === null) return template ? hashed(this.classOf(template, issuerId)) : null;
    const pass = passes.get(serialNumber);
    if (pass && template) return hashed(this.objectOf(template, pass, issuerId, linked.get(serialNumber)));
    const gone = deleted.get(serialNumber);
    const ids = {
      objectId: googleId(issuerId, objectIdOf({ serialNumber })),
      classId: googleId(issuerId, classIdOf(accountId, templateId, type)),
    };
    return gone ? hashed(googleDeletedObject(gone, ids, this.context({ images: {}, type }))) : null;
  }

  private classOf(template: Template, issuerId: string): GooglePart {
    const classId = googleId(issuerId, classIdOf(template.accountId, template.id, template.type));
    return googleClass(template, classId, this.context(template));
  }

  private objectOf(template: Template, pass: Pass, issuerId: string, linked: readonly LinkedObject[] = []): GooglePart {
    const { accountId } = template;
    const { group } = pass;
    const ids = {
      objectId: googleId(issuerId, objectIdOf(pass)),
      classId: googleId(issuerId, classIdOf(accountId, template.id, template.type)),
      grouping: group && { groupingId: groupingIdOf(accountId, group.id), sortIndex: group.order },
      linkedObjectIds: linked.flatMap(({ resource, isAtGoogle }) =>
        isAtGoogle ? [googleId(issuerId, resource.id)] : [],
      ),
    };
    // Treat a pass with a recorded expiry as expired, even if this node's clock is slow.
    const now = new Date(Math.max(this.clock.now().getTime(), pass.expiredAt?.getTime() ?? 0));
    return googleObject(template, pass, ids, { now, ...this.context(template) });
  }

  private context({ images, type }: Pick<Template, 'images' | 'type'>): GoogleContext {
    const { baseUrl, language = 'en' } = this.options;
    const all = googleImages(images, baseUrl);
    // Include the logo, without which a membership's class is invalid.
    const shown = type === 'membership' ? { logo: all.logo } : {};
    if (this.imagesLeftOut !== null) return { language, images: shown, callbackUrl: null };
    return { language, images: all, callbackUrl: `${baseUrl}/v1/walletB/callbacks` };
  }
}

/** Returns the URLs from which Google fetches a template's images. */
function googleImages({ icon, logo, banner }: PreparedImages, baseUrl: string): GoogleImages {
  const address = (image: PreparedImages[keyof PreparedImages]) => {
    const file = image?.files.find(({ wallet }) => wallet === 'google');
    return file ? `${baseUrl}/${file.key}` : null;
  };
  return { logo: address(icon), wideLogo: address(logo), hero: address(banner) };
}

function hashed(part: GooglePart): CurrentPart {
  return { part, hash: createHash('sha256').update(JSON.stringify(part.body)).digest() };
}
