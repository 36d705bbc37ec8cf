import type { NestExpressApplication } from '@nestjs/platform-express';

type CorsOptions = Exclude<Parameters<NestExpressApplication['enableCors']>[0], undefined>;

/**
 * Allows pages of these origins to call the API and read its responses, including headers. They send tokens, never
 * cookies.
 */
export function crossOrigin(origins: readonly string[]): CorsOptions {
  return {
    // Pass a list even for one origin, so that no cache returns one origin's response to another.
    origin: [...origins],
    credentials: false,
    exposedHeaders: [
      'ETag',
      'Link',
      'Last-Modified',
      'X-Request-Id',
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'RateLimit-Policy',
      'Passwright-Signing',
    ],
    maxAge: 600,
  };
}
