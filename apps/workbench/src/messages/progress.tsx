import type { MessageProgress } from '@passwright/client';
import { outcomeInWords, reasonInWords } from '../model/message.js';

const number = new Intl.NumberFormat();

/** The numbers of a message or of its forecast. @param words what becomes of the passes, such as `Reached` */
export function Progress({ progress, words }: { progress: MessageProgress; words: string }) {
  const { passes, sent, walletA, walletB, none, walletBOutcomes, skipped } = progress;
  return (
    <div class="stack">
      <dl class="numbers">
        <Figure label={words} value={sent} of={passes} />
        <Figure label="In Apple Wallet" value={walletA} />
        <Figure label="In Google Wallet" value={walletB} />
        <Figure label="On the web page only" value={none} />
      </dl>
      {walletBOutcomes.length > 0 && (
        <ul class="reasons" aria-label="Outcomes at Google Wallet">
          {walletBOutcomes.map(({ outcome, passes: count }) => (
            <li key={outcome}>
              <strong>{number.format(count)}</strong> at Google Wallet: {outcomeInWords(outcome)}
            </li>
          ))}
        </ul>
      )}
      {skipped.length > 0 && (
        <ul class="reasons" aria-label="Passes without the message">
          {skipped.map(({ reason, passes: count }) => (
            <li key={reason}>
              <strong>{number.format(count)}</strong> {count === 1 ? 'pass is' : 'passes are'} left out:{' '}
              {reasonInWords(reason)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** One number of a list, with its label. If `of` is given, this total is shown after the number. */
export function Figure({ label, value, of = null }: { label: string; value: number; of?: number | null }) {
  return (
    <div>
      <dt class="muted small">{label}</dt>
      <dd>
        {number.format(value)}
        {of !== null && <span class="muted small"> of {number.format(of)}</span>}
      </dd>
    </div>
  );
}
