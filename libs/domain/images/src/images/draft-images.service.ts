import { Injectable } from '@nestjs/common';
import type { RenderType } from '@passwright/wallet-renderers';
import { ImageProcessing, type ImageVariants } from '../processing/image-processing.service.js';
import { UnusableImage } from '../processing/image-limits.js';
import { ImageRequests } from '../sources/image-requests.service.js';
import { ImageSource } from '../sources/image-source.service.js';
import { contentHash } from '../storage/image-key.js';
import type { PreparedPurpose } from '../variants/prepared-image.js';

/** Generates the sizes of an unsaved template's images in memory. Stores nothing and fetches nothing. */
@Injectable()
export class DraftImages {
  constructor(
    private readonly source: ImageSource,
    private readonly requests: ImageRequests,
    private readonly processing: ImageProcessing,
  ) {}

  /**
   * Returns every size of an upload or a sample image.
   * @returns null for an image that is missing, damaged or on another server
   * @throws RateLimited, NotReady
   */
  async variants(
    accountId: string,
    url: string,
    purpose: PreparedPurpose,
    type: RenderType,
  ): Promise<ImageVariants | null> {
    const generate = async () => {
      const bytes = await this.source.readOwn(url);
      if (!bytes) return null;
      return this.processing.variants(accountId, { bytes, hash: contentHash(bytes) }, purpose, type);
    };
    try {
      return await (this.source.isUpload(url) ? this.requests.run(accountId, generate) : generate());
    } catch (error) {
      if (error instanceof UnusableImage) return null;
      throw error;
    }
  }
}
