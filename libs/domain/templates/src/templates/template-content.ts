import { isDeepStrictEqual } from 'node:util';
import type { RenderField, RenderLocation } from '@passwright/wallet-renderers';
import { imagePurposes, type ImageUrls, type PreparedImages } from '@passwright/images';
import type { TemplateRequest } from './template.dto.js';
import type { Template } from './template.entity.js';

/** What an upsert decides about a template; the rest of the row is the service's. */
export type TemplateContent = Omit<
  Template,
  'accountId' | 'id' | 'archivedAt' | 'revision' | 'createdAt' | 'updatedAt'
>;

/** The whole content a request stands for: what it leaves out is cleared. */
export function contentOf(request: TemplateRequest, images: PreparedImages): TemplateContent {
  return {
    type: request.type ?? 'offer',
    title: request.title,
    issuerName: request.issuerName,
    foregroundColor: request.foregroundColor,
    backgroundColor: request.backgroundColor,
    labelColor: request.labelColor ?? null,
    images,
    sharingProhibited: request.sharingProhibited ?? false,
    codeFormat: request.codeFormat ?? 'qr',
    locations: (request.locations ?? []).map(toLocation),
    fields: (request.fields ?? []).map(storedField),
    backFields: (request.backFields ?? []).map(storedField),
    startDate: request.type === 'event' ? new Date(request.startDate) : null,
    location: request.type === 'event' && request.location ? toLocation(request.location) : null,
    primaryLabel: request.type === 'generic' || request.type === 'membership' ? request.primaryLabel : null,
  };
}

/** The image URLs of a request, by purpose; absent and null are both left out. */
export function imageUrlsOf(request: TemplateRequest): ImageUrls {
  const urls: { readonly [purpose in keyof ImageUrls]?: string | null } = request;
  return Object.fromEntries(
    imagePurposes.flatMap((purpose) => {
      const url = urls[purpose];
      return url === undefined || url === null ? [] : [[purpose, url]];
    }),
  );
}

/** Whether two contents are the same once stored, whatever the order of JSON properties. */
export function sameContent(a: TemplateContent, b: TemplateContent): boolean {
  return isDeepStrictEqual(asStored(a), asStored(b));
}

/**
 * The content as the audit trail tells of it: images by the addresses they came from, but for what may be secret in these
 * (a query may be a signature that lets in whoever has it): the trail keeps it for good.
 */
export function recordedContent({ images, ...content }: TemplateContent): object {
  const { type, title, issuerName, foregroundColor, backgroundColor, labelColor, sharingProhibited } = content;
  const { codeFormat, locations, fields, backFields, startDate, location, primaryLabel } = content;
  const urls = Object.fromEntries(Object.entries(images).map(([purpose, image]) => [purpose, recordedUrl(image.url)]));
  return {
    ...{ type, title, issuerName, foregroundColor, backgroundColor, labelColor, sharingProhibited, ...urls },
    ...{ codeFormat, locations, fields, backFields, startDate, location, primaryLabel },
  };
}

function recordedUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function asStored(content: TemplateContent): unknown {
  const { type, title, issuerName, foregroundColor, backgroundColor, labelColor, images } = content;
  const { sharingProhibited, codeFormat, locations, fields, backFields, startDate, location, primaryLabel } = content;
  const look = { type, title, issuerName, foregroundColor, backgroundColor, labelColor, images };
  const rest = { sharingProhibited, codeFormat, locations, fields, backFields, startDate, location, primaryLabel };
  return JSON.parse(JSON.stringify({ ...look, ...rest }));
}

/**
 * A front field as it is stored: plain, and without a change message that was not given; an empty one is null.
 * Passes store theirs alike.
 */
export function storedField({ key, label, value, changeMessage }: RenderField): RenderField {
  return { key, label, value, ...(changeMessage !== undefined && { changeMessage: changeMessage || null }) };
}

function toLocation({ name, address, latitude, longitude, relevantText }: RenderLocation): RenderLocation {
  const named = typeof name === 'string' ? { name } : {};
  return { ...named, address, latitude, longitude, ...(typeof relevantText === 'string' && { relevantText }) };
}
