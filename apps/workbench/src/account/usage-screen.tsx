import type { UsageMonthResponse } from '@passwright/client';
import { useWho } from '../api/page.js';
import { Failure, Heading, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

const number = new Intl.NumberFormat();
const bytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const monthName = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const MOST_MONTHS = 12;

/** The usage of the account: now, and month by month. */
export function UsageScreen() {
  const { session } = useWho();
  const { data, error, reload } = useLoad('usage', async (signal) => {
    const [account, months] = await Promise.all([
      session.api.getAccount({ signal }),
      session.api.listUsage({ limit: MOST_MONTHS, signal }),
    ]);
    return { account, months: months.data };
  });
  const limits = data?.account.billing.enterpriseConfig;
  return (
    <>
      <Heading title="Usage" note="Months are counted in UTC. The numbers at the top count by billing period." />
      <Failure error={error} onRetry={reload} />
      {!data && error === null && <Loading rows={6} />}
      {data && (
        <>
          <dl class="numbers">
            <Figure label="Active passes" value={number.format(data.account.usage.activePasses)} />
            <Figure
              label="Passes created this period"
              value={number.format(data.account.usage.passCreations)}
              of={limits?.maxPassCreations === undefined ? null : number.format(limits.maxPassCreations)}
            />
            <Figure
              label="Images stored"
              value={inMebibytes(data.account.storage.imageBytes)}
              of={
                data.account.storage.maxImageBytes === undefined
                  ? null
                  : inMebibytes(data.account.storage.maxImageBytes)
              }
            />
            <Figure label="Plan" value={data.account.billing.subscription?.planId ?? 'none'} />
          </dl>
          <Chart months={data.months} />
        </>
      )}
    </>
  );
}

function inMebibytes(count: number): string {
  return `${bytes.format(count / 2 ** 20)} MiB`;
}

function Figure({ label, value, of = null }: { label: string; value: string; of?: string | null }) {
  return (
    <div class="panel">
      <dt class="muted small">{label}</dt>
      <dd>
        {value}
        {of !== null && <span class="muted small"> of {of}</span>}
      </dd>
    </div>
  );
}

function Chart({ months }: { months: readonly UsageMonthResponse[] }) {
  const most = Math.max(1, ...months.map(({ passCreations }) => passCreations));
  return (
    <table class="chart">
      <caption>Passes by month</caption>
      <thead>
        <tr>
          <th>Month</th>
          <th>Created</th>
          <th>Active</th>
        </tr>
      </thead>
      <tbody>
        {months.map(({ month, passCreations, activePasses }) => (
          <tr key={month}>
            <th scope="row">{monthName.format(new Date(`${month}-01T00:00:00Z`))}</th>
            <td>
              <span class="bar" style={{ width: `${(passCreations / most) * 60}%` }} aria-hidden="true" />
              {number.format(passCreations)}
            </td>
            <td>{activePasses === null ? '—' : number.format(activePasses)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
