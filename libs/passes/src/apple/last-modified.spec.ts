import { nextUpdate } from '@passwright/core';
import fc from 'fast-check';
import { lastModifiedOf } from './last-modified.js';

const start = Date.parse('2026-11-20T10:00:00.000Z');

/** A pass, its template and a clock, which take the steps of a test. */
class Scene {
  private now = new Date(start + 1);
  private template = { updatedAt: new Date(start) };
  private pass = { createdAt: this.now, updatedAt: this.now };
  private content = 0;
  readonly downloads: { content: number; lastModified: Date }[] = [];

  readonly steps = {
    pass: () => {
      this.pass = { ...this.pass, updatedAt: nextUpdate(this.pass.updatedAt, this.now) };
      this.content += 1;
    },
    template: () => {
      this.template = { updatedAt: nextUpdate(this.template.updatedAt, this.now) };
      this.content += 1;
    },
    download: () => {
      const { lastModified } = this.state();
      this.downloads.push({ content: this.content, lastModified });
    },
  };

  advance(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }

  state() {
    return lastModifiedOf({ pass: this.pass, template: this.template }, this.now);
  }

  isUnmodifiedSince(since: Date): boolean {
    const { lastModified, lastModifiedIsUnique } = this.state();
    return lastModifiedIsUnique && lastModified <= since;
  }

  outdated(): Date[] {
    return this.downloads.filter(({ content }) => content !== this.content).map(({ lastModified }) => lastModified);
  }
}

const step = fc.oneof(
  fc.constantFrom('pass', 'template', 'download' as const),
  fc.constantFrom(1, 300, 999, 1000, 2500),
);

it('never takes a download for the current one that it is not, in whatever order pass and template change', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const scene = new Scene();
      for (const next of steps) {
        if (typeof next === 'number') scene.advance(next);
        else scene.steps[next]();
        expect(scene.outdated().filter((since) => scene.isUnmodifiedSince(since))).toEqual([]);
      }
    }),
    { numRuns: 2000 },
  );
});

it('takes the current one for what it is: once the second of its last change has come, and none else was in it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('pass', 'template'), { maxLength: 10 }), (changes) => {
      const scene = new Scene();
      for (const change of changes) {
        scene.advance(1000);
        scene.steps[change]();
        expect(scene.isUnmodifiedSince(scene.state().lastModified)).toBe(true);
      }
    }),
  );
});

it('hands out no time that has not come', () => {
  const scene = new Scene();
  scene.steps.template();
  scene.steps.template();
  expect(scene.state()).toEqual({ lastModified: new Date(start), lastModifiedIsUnique: false });
});
