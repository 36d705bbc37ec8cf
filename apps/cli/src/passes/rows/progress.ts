import { Format, SingleBar } from 'cli-progress';
import type { Context } from '../../context.js';
import type { Io } from '../../io.js';
import { count, countedPasses, duration } from '../../number-format.js';

const LINE_EVERY_MS = 5000;
const RATE_OVER_MS = 10_000;
const DRAWN_PER_SECOND = 5;

/** Shows progress on stderr: a bar on a terminal, otherwise a line every few seconds. */
export class Progress {
  private readonly bar: SingleBar | null;
  private readonly startedAt: number;
  private saidAt: number;
  private marks: { at: number; done: number; share: number }[] = [];
  private note = '';
  private readonly stderr: Io['stderr'];

  /** @param from the number of items that earlier runs completed */
  constructor(
    { io, output }: Pick<Context, 'io' | 'output'>,
    private readonly from = 0,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.stderr = io.stderr;
    this.startedAt = this.saidAt = now();
    this.bar = io.stderr.isTTY ? newBar(io.stderr, output.style('green', '{bar}', io.stderr)) : null;
    this.bar?.start(1000, 0, { done: countedPasses(from), rate: '–', left: '–', note: '' });
  }

  /**
   * Updates the progress.
   * @param share the completed share of the total, 0 to 1; null if the total is unknown
   */
  update(done: number, share: number | null, note = ''): void {
    const at = this.now();
    const noted = note !== '' && note !== this.note;
    this.note = note;
    this.mark({ at, done, share: share ?? 0 });
    if (this.bar) {
      this.bar.update(Math.floor((share ?? 0) * 1000), { ...this.payload(done, share), note: note && ` · ${note}` });
    } else if (noted || at - this.saidAt >= LINE_EVERY_MS) {
      this.saidAt = at;
      const { rate, left } = this.payload(done, share);
      const percent = share === null ? '' : `${Math.floor(share * 100)}%, `;
      const rest = share === null ? '' : `, ${left} left`;
      this.stderr.write(`${percent}${countedPasses(done)}, ${rate}/s${rest}${note && `; ${note}`}\n`);
    }
  }

  /** Ends the display. @returns the duration and the rate per second */
  end(done: number): { readonly seconds: number; readonly perSecond: number } {
    this.bar?.stop();
    const seconds = (this.now() - this.startedAt) / 1000;
    return { seconds, perSecond: seconds > 0 ? (done - this.from) / seconds : 0 };
  }

  /** Records a sample. Only the last seconds determine the rate, so that a pause at the start does not lower it. */
  private mark(mark: { at: number; done: number; share: number }): void {
    const last = this.marks.at(-1);
    if (!last || mark.at - last.at >= 250) this.marks.push(mark);
    else this.marks[this.marks.length - 1] = { ...mark, at: last.at };
    while (this.marks.length > 2 && mark.at - (this.marks[0]?.at ?? 0) > RATE_OVER_MS) this.marks.shift();
  }

  private payload(done: number, share: number | null) {
    const [first, at] = [this.marks[0], this.now()];
    const seconds = first ? (at - first.at) / 1000 : 0;
    if (!first || seconds < 0.5) return { done: countedPasses(done), rate: '–', left: '–' };
    const rate = (done - first.done) / seconds;
    const speed = ((share ?? 0) - first.share) / seconds;
    const left = share === null || speed <= 0 ? '–' : duration((1 - share) / speed);
    return { done: countedPasses(done), rate: count(Math.round(rate)), left };
  }
}

function newBar(stderr: Io['stderr'], bar: string): SingleBar {
  return new SingleBar({
    stream: stderr,
    format: `${bar} {percentage}% | {done} | {rate}/s | {left} left{note}`,
    barsize: 24,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    formatBar: Format.BarFormat,
    hideCursor: true,
    fps: DRAWN_PER_SECOND,
    etaBuffer: 10,
    clearOnComplete: false,
    // The command handles Ctrl-C itself.
    gracefulExit: false,
  });
}
