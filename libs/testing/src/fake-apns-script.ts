import type { ApnsResponse } from './fake-apns-rules.js';

/** A scripted response. Without `times`, it applies until another response is scripted or `reset()` is called. */
export interface ScriptedResponse extends ApnsResponse {
  readonly times?: number;
}

/** The scripted responses of `FakeApns`. `null` means no response. */
export class ApnsScript {
  private readonly lines = new Map<string, { readonly response: ApnsResponse | null; left: number }[]>();

  /**
   * Adds a response, which follows the earlier responses for the token. Replaces an earlier response that has no `times`.
   * @param token a push token, or `*` for all tokens that have no responses of their own
   */
  add(token: string, response: ApnsResponse | null, times = Infinity): void {
    const before = (this.lines.get(token) ?? []).filter(({ left }) => left > 0 && left !== Infinity);
    this.lines.set(token, [...before, { response, left: times }]);
  }

  /**
   * Takes the next response.
   * @returns undefined if none is scripted, so that the rules apply
   */
  next(token: string): ApnsResponse | null | undefined {
    for (const key of [token, '*']) {
      const line = this.lines.get(key)?.find(({ left }) => left > 0);
      if (!line) continue;
      line.left--;
      return line.response;
    }
    return undefined;
  }

  clear(): void {
    this.lines.clear();
  }
}

/** A queue that returns each item once. Callers also get earlier items. */
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

  /** Discards items that no caller has requested. */
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
