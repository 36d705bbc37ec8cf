import type { ApnsAnswer } from './fake-apns-rules.js';

/** An answer told in advance; without `times` it stands until another is told or `reset()`. */
export interface ScriptedAnswer extends ApnsAnswer {
  readonly times?: number;
}

/** What `FakeApns` was told to say: `null` stands for no answer at all. */
export class ApnsScript {
  private readonly lines = new Map<string, { readonly answer: ApnsAnswer | null; left: number }[]>();

  /**
   * After those told before for the same token, once they are used up; one without an end gives way.
   * @param token or `*`, for those without lines of their own
   */
  add(token: string, answer: ApnsAnswer | null, times = Infinity): void {
    const before = (this.lines.get(token) ?? []).filter(({ left }) => left > 0 && left !== Infinity);
    this.lines.set(token, [...before, { answer, left: times }]);
  }

  /** Uses up one line. @returns undefined when nothing was told: the rules decide */
  next(token: string): ApnsAnswer | null | undefined {
    for (const key of [token, '*']) {
      const line = this.lines.get(key)?.find(({ left }) => left > 0);
      if (!line) continue;
      line.left--;
      return line.answer;
    }
    return undefined;
  }

  clear(): void {
    this.lines.clear();
  }
}

/** Things as they come, each handed out once: also those that came before they were asked for. */
export class Inbox<T> {
  private unread: T[] = [];
  private waiting: { readonly wants: (thing: T) => boolean; readonly resolve: (thing: T) => void }[] = [];

  put(thing: T): void {
    const reader = this.waiting.find(({ wants }) => wants(thing));
    if (!reader) {
      this.unread.push(thing);
      return;
    }
    this.waiting = this.waiting.filter((each) => each !== reader);
    reader.resolve(thing);
  }

  /** Forgets what has come and was not asked for. */
  clear(): void {
    this.unread = [];
  }

  next(wants: (thing: T) => boolean): Promise<T> {
    const index = this.unread.findIndex(wants);
    const [found] = index < 0 ? [] : this.unread.splice(index, 1);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => this.waiting.push({ wants, resolve }));
  }
}
