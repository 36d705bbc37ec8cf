import { createHash } from 'node:crypto';

/** The parts of a page that its content security policy must allow. */
export interface PageParts {
  /** The hash of each `<style>` element, as `hashOf` returns it. */
  readonly styles: readonly string[];
  /** The hash of the only `<script>` element; undefined without a script. */
  readonly script?: string;
  readonly imageUrls: readonly string[];
}

/** Returns the hash by which a content security policy allows an inline style sheet or script. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * Builds a policy that allows a page only its own style sheets and script, and images from the origins of the given
 * images. A page with a script may also load images from its own origin, for updates.
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
