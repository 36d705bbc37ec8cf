import { createHash } from 'node:crypto';

/** The parts of a page that its policy must allow. */
export interface PageParts {
  /** The hash of each `<style>` element from `hashOf`. */
  readonly styles: readonly string[];
  /** The hash of the only `<script>` element; undefined without one. */
  readonly script?: string;
  readonly imageUrls: readonly string[];
}

/** Returns the policy source of an inline sheet or script. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * Builds a policy that allows a page its own sheets and script, images from its own origin and from those of the given
 * images, and nothing else. A page with a script may also load images that it does not have yet.
 */
export function contentSecurityPolicy({ styles, script, imageUrls }: PageParts): string {
  const origins = [...new Set(imageUrls.map((url) => new URL(url).origin))];
  const images = [...(script ? ["'self'"] : []), ...origins, 'data:'];
  return [
    "default-src 'none'",
    `style-src ${styles.join(' ')}`,
    ...(script ? [`script-src ${script}`, "connect-src 'self'"] : []),
    `img-src ${images.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
