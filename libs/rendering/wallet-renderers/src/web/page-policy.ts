import { createHash } from 'node:crypto';

/** The parts of a page that its policy must allow. */
export interface PageParts {
  /** The hash of each `<style>` element from `hashOf`. */
  readonly styles: readonly string[];
  /** The hash of the only `<script>` element; undefined without a script. */
  readonly script?: string;
  readonly imageUrls: readonly string[];
}

/** Returns the policy source of an inline sheet or script. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * Builds a policy that allows a page only its own style sheets and script, and images from the origins of the given
 * images. With a script, the page may also load images from its own origin, because an update may add some.
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
