import { createHash } from 'node:crypto';

/** What a page consists of, as its policy names it. */
export interface PageParts {
  /** Of each `<style>` element, by `hashOf`. */
  readonly styles: readonly string[];
  /** Of the one `<script>` element; none when left out. */
  readonly script?: string;
  readonly imageUrls: readonly string[];
}

/** How a policy names an inline sheet or script. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * Allows a page its own sheets and script, images from its own origin and from where the given ones are, and nothing
 * else. A page with a script may load images that it does not have yet.
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
