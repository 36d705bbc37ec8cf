import { nextUpdate } from '@passwright/core';
import fc from 'fast-check';
import { isUnmodifiedSince, lastModifiedOf } from './last-modified.js';

const start = Date.parse('2026-11-20T10:00:00.000Z');

/**
 * A pass and its template. Its changes are dated like those in the service, even if the clock stands still or goes
 * back.
 */
class Scene {
  private now = new Date(start);
  private template = { updatedAt: new Date(start) };
  private pass = { updatedAt: new Date(start) };

  change(what: 'pass' | 'template', ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
    this[what] = { updatedAt: nextUpdate(this.now, this.pass.updatedAt, this.template.updatedAt) };
  }

  /** Returns the `Last-Modified` header. */
  header(): string {
    return lastModifiedOf(this.pass, this.template).toUTCString();
  }

  isUnmodifiedSince(header: string): boolean {
    return isUnmodifiedSince(lastModifiedOf(this.pass, this.template), header);
  }
}

const change = fc.tuple(fc.constantFrom('pass', 'template' as const), fc.integer({ min: -3000, max: 3000 }));

it('Last-Modified grows by at least a second with each change of pass or template', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      const scene = new Scene();
      const before: string[] = [];
      for (const [what, ms] of changes) {
        before.push(scene.header());
        scene.change(what, ms);
        expect(Date.parse(scene.header()) - Date.parse(before.at(-1) ?? '')).toBeGreaterThanOrEqual(1000);
        expect(before.filter((since) => scene.isUnmodifiedSince(since))).toEqual([]);
        expect(scene.isUnmodifiedSince(scene.header())).toBe(true);
      }
    }),
  );
});

it('isUnmodifiedSince ignores an If-Modified-Since header that is missing or not a date', () => {
  const updated = { updatedAt: new Date(start) };
  const lastModified = lastModifiedOf(updated, updated);
  for (const header of [undefined, '', 'yesterday', '0'.repeat(5000)]) {
    expect(isUnmodifiedSince(lastModified, header)).toBe(false);
  }
});
