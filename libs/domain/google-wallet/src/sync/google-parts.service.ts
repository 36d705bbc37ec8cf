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
import type { Pass } from '@passwright/passes';
import { GoogleWalletOptions } from '../google-wallet.options.js';
import type { GoogleContent } from './google-content.repository.js';
import { classIdOf, googleId, objectIdOf } from './google-ids.js';
import type { NewResource } from './google-resources.repository.js';
import { unreachableBecause } from './public-base-url.js';

/** What a class or an object should be at Google, and a hash that changes with it. */
export interface CurrentPart {
  readonly part: GooglePart;
  readonly hash: Buffer;
}

/** Renders classes and objects as they should be at the moment. */
@Injectable()
export class GoogleParts {
  /** Why images are left out, as the end of a sentence; null when they are not. */
  readonly imagesLeftOut: string | null;

  constructor(
    private readonly options: GoogleWalletOptions,
    private readonly clock: Clock,
  ) {
    this.imagesLeftOut = unreachableBecause(options.baseUrl);
  }

  /** @returns null for what has nothing to show any more: the class of a template that is gone */
  current(resource: NewResource, { templates, passes, deleted }: GoogleContent): CurrentPart | null {
    const { issuerId, accountId, templateId, type, serialNumber } = resource;
    const found = templates.get(templateId);
    // A template that was deleted may have come back as another type, which has a class of its own.
    const template = found?.type === type ? found : undefined;
    if (serialNumber === null) return template ? hashed(this.classOf(template, issuerId)) : null;
    const pass = passes.get(serialNumber);
    if (pass && template) return hashed(this.objectOf(template, pass, issuerId));
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

  private objectOf(template: Template, pass: Pass, issuerId: string): GooglePart {
    const ids = {
      objectId: googleId(issuerId, objectIdOf(pass)),
      classId: googleId(issuerId, classIdOf(template.accountId, template.id, template.type)),
    };
    // An expiry that was noted has passed, also by a clock that is behind.
    const now = new Date(Math.max(this.clock.now().getTime(), pass.expiredAt?.getTime() ?? 0));
    return googleObject(template, pass, ids, { ...this.context(template), now });
  }

  private context({ images, type }: Pick<Template, 'images' | 'type'>): GoogleContext {
    const { baseUrl, language = 'en' } = this.options;
    const all = googleImages(images, baseUrl);
    // Without its logo a membership's class is none.
    const shown = type === 'membership' ? { logo: all.logo } : {};
    if (this.imagesLeftOut !== null) return { language, images: shown, callbackUrl: null };
    return { language, images: all, callbackUrl: `${baseUrl}/v1/walletB/callbacks` };
  }
}

/** Where Google finds a template's images. */
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
