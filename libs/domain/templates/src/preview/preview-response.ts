import { applyDecorators, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiNotModifiedResponse, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { ApiErrors, namesTag, parseTags, ValidationFailed } from '@passwright/core';
import { PreviewResponse } from './preview.dto.js';
import { type PreviewFormat, type PreviewQuery, previewTypes } from './preview-query.dto.js';
import type { Previews, PreviewSubject } from './previews.service.js';

/** The properties of Express's request that previews use. */
export interface PreviewHttpRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  accepts(types: string[]): string | false;
}

/** The properties of Express's response that previews use. */
export interface PreviewHttpResponse {
  set(headers: Record<string, string>): unknown;
  vary(field: string): unknown;
  removeHeader(name: string): unknown;
  status(code: number): unknown;
}

/** Documents the responses of a preview. */
export function ApiPreview(): MethodDecorator {
  const text = { schema: { type: 'string' } } as const;
  return applyDecorators(
    ApiExtraModels(PreviewResponse),
    ApiOkResponse({
      description: 'The preview in the requested format.',
      headers: { ETag: { description: 'The version of the preview.', schema: { type: 'string' } } },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(PreviewResponse) } },
        'text/html': text,
        'image/png': { schema: { type: 'string', format: 'binary' } },
        'image/svg+xml': text,
      },
    }),
    ApiNotModifiedResponse({ description: 'The client already has the preview.' }),
    ApiErrors(ValidationFailed),
  );
}

// JSON is first, because clients that accept any type get the first format. Browsers request pages and images
// explicitly.
const formats: readonly PreviewFormat[] = ['json', 'html', 'png', 'svg'];
const mediaTypes = formats.map((format) => previewTypes[format].replace(/;.*/, ''));

/** Keeps an image from running scripts wherever it is opened. */
const pictureRules = { 'Content-Security-Policy': "default-src 'none'; img-src data:" };

/** Responds with a preview, or with 304 if the caller already has the same version. @throws RateLimited */
export async function sendPreview(
  request: PreviewHttpRequest,
  response: PreviewHttpResponse,
  previews: Previews,
  subject: PreviewSubject,
  query: PreviewQuery,
): Promise<StreamableFile | undefined> {
  const format = query.format ?? acceptedFormat(request);
  const known = request.headers['if-none-match'];
  const tags = typeof known === 'string' ? parseTags(known) : [];
  const { etag, bytes, contentSecurityPolicy } = await previews.file(subject, query, format, (tag) =>
    namesTag(tags, tag),
  );
  if (query.format === undefined) response.vary('Accept');
  response.set({
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    ...(format === 'svg' && pictureRules),
    ...(contentSecurityPolicy !== undefined && { 'Content-Security-Policy': contentSecurityPolicy }),
  });
  if (bytes) return new StreamableFile(bytes, { type: previewTypes[format], length: bytes.length });
  // Omit the policy, because a browser would replace the policy of the cached page with that of the 304.
  if (format === 'html') response.removeHeader('Content-Security-Policy');
  response.status(304);
  return undefined;
}

function acceptedFormat(request: PreviewHttpRequest): PreviewFormat {
  const accepted = request.accepts(mediaTypes);
  return formats.find((_, index) => mediaTypes[index] === accepted) ?? 'json';
}
