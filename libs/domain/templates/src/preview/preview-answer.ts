import { applyDecorators, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiNotModifiedResponse, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { ApiErrors, namesTag, parseTags, ValidationFailed } from '@passwright/core';
import { PreviewAnswer } from './preview.dto.js';
import { type PreviewFormat, type PreviewQuery, previewTypes } from './preview-query.dto.js';
import type { Previews, PreviewSubject } from './previews.service.js';

/** The used part of Express's request. */
export interface PreviewRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  accepts(types: string[]): string | false;
}

/** The used part of Express's response. */
export interface PreviewResponse {
  set(headers: Record<string, string>): unknown;
  vary(field: string): unknown;
  status(code: number): unknown;
}

/** Documents the responses of a preview. */
export function ApiPreview(): MethodDecorator {
  const text = { schema: { type: 'string' } } as const;
  return applyDecorators(
    ApiExtraModels(PreviewAnswer),
    ApiOkResponse({
      description: 'The preview in the requested format.',
      headers: { ETag: { description: 'The version of the preview.', schema: { type: 'string' } } },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(PreviewAnswer) } },
        'text/html': text,
        'image/png': { schema: { type: 'string', format: 'binary' } },
        'image/svg+xml': text,
      },
    }),
    ApiNotModifiedResponse({ description: 'The client already has the preview.' }),
    ApiErrors(ValidationFailed),
  );
}

// JSON comes first for clients that accept anything; browsers ask for pages and pictures by name.
const formats: readonly PreviewFormat[] = ['json', 'html', 'png', 'svg'];
const mediaTypes = formats.map((format) => previewTypes[format].replace(/;.*/, ''));

/** A picture runs no script, wherever it is opened. */
const pictureRules = { 'Content-Security-Policy': "default-src 'none'; img-src data:" };

/** Responds with a preview, or with 304 when the caller has it already. @throws RateLimited */
export async function answerPreview(
  request: PreviewRequest,
  response: PreviewResponse,
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
  response.status(304);
  return undefined;
}

function acceptedFormat(request: PreviewRequest): PreviewFormat {
  const accepted = request.accepts(mediaTypes);
  return formats.find((_, index) => mediaTypes[index] === accepted) ?? 'json';
}
