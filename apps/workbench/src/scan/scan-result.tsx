import { Fragment } from 'preact';
import { addressOf } from '../model/screen-address.js';
import type { Scan } from './use-scans.js';

/** The pass of a scanned code, in large letters, and the step that it allows. */
export function ScanResult(props: { scan: Scan; isBusy: boolean; onRedeem: () => void; onNext: () => void }) {
  const { scan, isBusy, onRedeem, onNext } = props;
  const { code, pass, verdict, problem } = scan;
  return (
    <section class={`scanned ${problem === null ? (verdict?.tone ?? 'plain') : 'waiting'}`} aria-label="Scanned pass">
      <div role="status" class="stack">
        <h2>{problem === null ? (verdict?.title ?? 'Looking …') : pass ? 'Not redeemed' : 'Not checked'}</h2>
        <p>{problem ?? verdict?.text ?? ''}</p>
      </div>
      {pass && (
        <dl class="facts">
          <dt>Pass</dt>
          <dd>
            <a href={addressOf('passes', pass.templateId, pass.id)}>{pass.primaryValue ?? pass.id}</a>
          </dd>
          {pass.fields.map(({ key, label, value }) => (
            <Fragment key={key}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
      )}
      <p class="small">
        Code <code>{code}</code>
      </p>
      <div class="actions">
        {pass && verdict?.isRedeemable === true && (
          <button type="button" class="primary large" disabled={isBusy} onClick={onRedeem}>
            {isBusy ? 'Redeeming …' : 'Redeem'}
          </button>
        )}
        <button type="button" class="large" onClick={onNext}>
          Next
        </button>
      </div>
    </section>
  );
}
