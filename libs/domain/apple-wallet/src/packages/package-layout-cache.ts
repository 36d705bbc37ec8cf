import { Injectable } from '@nestjs/common';
import { versionSuffix } from '@passwright/core';
import { ImagesService, type PreparedImage, type PreparedPurpose } from '@passwright/images';
import {
  imagesIn,
  localisedPurposesOf,
  MAX_PACKAGE_BYTES,
  type Template,
  TemplatesService,
} from '@passwright/templates';
import { appleImageSlots, type CompiledFiles, compileFiles, CompiledPackage } from '@passwright/wallet-renderers';
import { LRUCache } from 'lru-cache';
import type { PassAddress, WalletPass } from '@passwright/passes';
import { AppleWalletOptions } from '../apple-wallet.options.js';

/** A template with the parts that the packages of all its passes share. */
export interface PackageLayout {
  readonly template: Template;
  readonly layout: CompiledPackage;
}

type Stored = PackageLayout | CompiledFiles;

interface Entry {
  readonly version: string;
  readonly stored: Stored;
}

/**
 * Caches the shared parts of a template's packages in memory, compiled once per revision, so that building a package
 * neither reads, hashes nor copies an image. Keeps one revision of each template. Simultaneous requests for a revision
 * load it once.
 */
@Injectable()
export class PackageLayoutCache {
  private readonly entries: LRUCache<string, Entry>;
  private readonly loading = new Map<string, Promise<Stored>>();

  constructor(
    { packageCacheBytes }: AppleWalletOptions,
    private readonly templates: TemplatesService,
    private readonly images: ImagesService,
  ) {
    this.entries = new LRUCache({
      maxSize: packageCacheBytes,
      // The cache throws for a size of 0, which images without Apple files have.
      sizeCalculation: ({ stored }) => Math.max(1, sizeBytes(stored)),
    });
  }

  /** Returns the template's layout for a pass, with the pass's own thumbnail if it has one. */
  async for(address: PassAddress, { pass, template }: WalletPass): Promise<PackageLayout> {
    const { accountId, templateId } = address;
    const key = `${accountId}/${templateId}`;
    // The version contains the creation time, because a new template with the same id counts its revisions from 1
    // again.
    const version = `${template.createdAt.getTime()}/${template.revision}${versionSuffix()}`;
    const { thumbnail } = pass;
    if (!thumbnail) return this.once(key, version, () => this.layoutOf(address, true));
    const [shared, own] = await Promise.all([
      this.once(`${key}/without-thumbnail`, version, () => this.layoutOf(address, false)),
      this.once(`${accountId}/${thumbnail.source}/${thumbnail.recipe}`, '', () => this.compiled([thumbnail])),
    ]);
    return { template: shared.template, layout: shared.layout.with(own) };
  }

  /**
   * Returns the images of each language, if any image differs by language. Each language then has all of these images,
   * because a device looks only in the folder of its own language. Leaves out the remaining languages once the images
   * exceed twice `MAX_PACKAGE_BYTES`.
   * @returns the images, and the languages that the package may have
   */
  async imagesOf(
    { accountId, templateId }: PassAddress,
    { pass }: WalletPass,
    { template }: PackageLayout,
    languages: readonly string[],
  ): Promise<{ readonly images: readonly CompiledFiles[]; readonly languages: readonly string[] }> {
    if (!differsByLanguage(template)) return { images: [], languages };
    const version = `${template.createdAt.getTime()}/${template.revision}${versionSuffix()}`;
    const withThumbnail = !pass.thumbnail;
    const images: CompiledFiles[] = [];
    let bytes = 0;
    for (const language of languages) {
      const key = `${accountId}/${templateId}/${withThumbnail ? 'with' : 'without'}-thumbnail/${language}`;
      const files = await this.once(key, version, () => this.localised(template, language, withThumbnail));
      bytes += files.bytes.length;
      if (bytes > 2 * MAX_PACKAGE_BYTES) break;
      images.push(files);
    }
    return { images, languages: languages.slice(0, images.length) };
  }

  private async localised(template: Template, language: string, withThumbnail: boolean): Promise<CompiledFiles> {
    const purposes = localisedPurposesOf(template);
    const shown = Object.entries(imagesIn(template, language)).flatMap(([purpose, image]) =>
      purposes.has(purpose as PreparedPurpose) && (withThumbnail || purpose !== 'thumbnail') ? [image] : [],
    );
    const files = await this.images.appleFiles(shown);
    return compileFiles(files.map(({ name, data }) => ({ name: `${language}.lproj/${name}`, data })));
  }

  private async layoutOf({ accountId, templateId }: PassAddress, withThumbnail: boolean): Promise<PackageLayout> {
    const template = await this.templates.get(accountId, templateId);
    const localised = localisedPurposesOf(template);
    // An image at the root would hide images with the same name in the folders of languages.
    const used = Object.entries(template.images).flatMap(([purpose, image]) =>
      localised.has(purpose as PreparedPurpose) || (purpose === 'thumbnail' && !withThumbnail) ? [] : [image],
    );
    return { template, layout: new CompiledPackage([await this.compiled(used)]) };
  }

  private async compiled(images: readonly PreparedImage[]): Promise<CompiledFiles> {
    return compileFiles(await this.images.appleFiles(images));
  }

  private async once<T extends Stored>(key: string, version: string, load: () => Promise<T>): Promise<T> {
    const known = this.entries.get(key);
    // The types match, because each key always stores the same type of value.
    if (known?.version === version) return known.stored as T;
    const name = `${key} ${version}`;
    const begun = this.loading.get(name);
    if (begun) return (await begun) as T;
    const loading = load();
    this.loading.set(name, loading);
    try {
      const stored = await loading;
      this.entries.set(key, { version, stored });
      return stored;
    } finally {
      this.loading.delete(name);
    }
  }
}

/** Returns true if the Apple packages of a template have images that differ by language. */
function differsByLanguage(template: Template): boolean {
  const purposes: ReadonlySet<string> = localisedPurposesOf(template);
  return appleImageSlots(template.type).some(({ purpose }) => purposes.has(purpose));
}

function sizeBytes(stored: Stored): number {
  if (!('layout' in stored)) return stored.bytes.length;
  const textBytes = 2 * JSON.stringify(stored.template).length;
  return stored.layout.heads.reduce((sum, { length }) => sum + length, textBytes);
}
