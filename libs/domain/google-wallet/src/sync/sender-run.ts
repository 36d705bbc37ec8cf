import type { Clock } from '@passwright/core';

/** How long one job goes on before it leaves the rest to another. */
const sliceMs = 10_000;

/** One job as it goes along: whose turn it is, and what it leaves. */
export class SenderRun {
  /** Accounts in the order of their turns. */
  private turns: string[] = [];
  private after = '';
  /** With the question at which their turn began. */
  private readonly atWork = new Map<string, number>();
  /** How often it was asked to look. */
  private questions = 0;
  /** Accounts that have nothing more to do in this round of looking. */
  private readonly done = new Set<string>();
  private looking: Promise<void> = Promise.resolve();
  private isToLookAgain = true;
  private hasEnded = false;
  private first: { readonly accountId: string; readonly at: Date } | null = null;
  private readonly endsAt: number;

  /** @param accountsAfter a page of the accounts that have something due, or will */
  constructor(
    private readonly signal: AbortSignal,
    private readonly clock: Clock,
    private readonly accountsAfter: (accountId: string) => Promise<string[]>,
  ) {
    this.endsAt = clock.now().getTime() + sliceMs;
  }

  /** Something more may be due. @returns false when the run is over, so that another has to look */
  askAgain(): boolean {
    if (this.hasEnded || this.isOver) return false;
    this.isToLookAgain = true;
    this.questions++;
    this.done.clear();
    return true;
  }

  /** Whose turn it is; null when nobody has anything to do, or the time is up. */
  async next(): Promise<string | null> {
    while (!this.isOver) {
      const accountId = this.turns.find((id) => !this.atWork.has(id));
      if (accountId !== undefined) {
        this.turns = this.turns.filter((id) => id !== accountId);
        this.atWork.set(accountId, this.questions);
        return accountId;
      }
      if (!(await this.look())) return null;
    }
    return null;
  }

  /** @param hasMore whether it is to have another turn, after the others */
  served(accountId: string, hasMore: boolean): void {
    const isCurrent = this.atWork.get(accountId) === this.questions;
    this.atWork.delete(accountId);
    // What was asked meanwhile may be about this one, which had perhaps looked already.
    if (hasMore || !isCurrent) this.turns.push(accountId);
    else this.done.add(accountId);
  }

  /** What of the account is to be tried again at `at`. */
  note(accountId: string, at: Date): void {
    if (!this.first || at < this.first.at) this.first = { accountId, at };
  }

  /** Accounts that are served at this moment, at least one. */
  get busy(): number {
    return Math.max(1, this.atWork.size);
  }

  end(): void {
    this.hasEnded = true;
  }

  /** What another job is to go on with, and when; null when nothing is left that this one knows of. */
  rest(): { readonly accountId: string; readonly at?: Date } | null {
    if (!this.isOver) return this.first;
    return { accountId: this.turns[0] ?? [...this.atWork.keys()][0] ?? this.first?.accountId ?? '' };
  }

  private get isOver(): boolean {
    return this.signal.aborted || this.clock.now().getTime() >= this.endsAt;
  }

  /** Asks for more accounts, one page at a time, from the first one again once something new may be due. @returns whether there are any */
  private async look(): Promise<boolean> {
    const before = this.looking;
    const look = before.then(async () => {
      if (this.turns.some((id) => !this.atWork.has(id))) return;
      if (this.after === '' && !this.isToLookAgain) return;
      if (this.after === '') this.isToLookAgain = false;
      const found = await this.accountsAfter(this.after);
      this.after = found.at(-1) ?? '';
      this.turns.push(...found.filter((id) => !this.done.has(id) && !this.turns.includes(id) && !this.atWork.has(id)));
    });
    this.looking = look.catch(() => undefined);
    await look;
    return this.turns.some((id) => !this.atWork.has(id)) || this.after !== '' || this.isToLookAgain;
  }
}
