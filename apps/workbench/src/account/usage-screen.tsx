import type { UsageDayResponse, UsageMonthResponse } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { Failure, Heading, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

const number = new Intl.NumberFormat();
const bytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const monthName = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const dayName = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const MOST_MONTHS = 12;
const MOST_DAYS = 31;

/** The usage of the account: now, day by day, and month by month. */
export function UsageScreen() {
  const { session } = useWho();
  const { data, error, reload } = useLoad('usage', async (signal) => {
    const [account, days, months] = await Promise.all([
      session.api.getAccount({ signal }),
      session.api.listUsageDays({ limit: MOST_DAYS, signal }),
      session.api.listUsage({ limit: MOST_MONTHS, signal }),
    ]);
    return { account, days: days.data, months: months.data };
  });
  const limits = data?.account.billing.enterpriseConfig;
  return (
    <>
      <Heading
        title="Usage"
        note="Days and months are counted in UTC. The numbers at the top count by billing period."
      />
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
              value={inBytes(data.account.storage.imageBytes)}
              of={data.account.storage.maxImageBytes === undefined ? null : inBytes(data.account.storage.maxImageBytes)}
            />
            <Figure label="Plan" value={data.account.billing.subscription?.planId ?? 'none'} />
          </dl>
          <DayChart days={data.days} />
          <MonthChart months={data.months} />
        </>
      )}
    </>
  );
}

function inBytes(count: number): string {
  const [divisor, unit] = count < 2 ** 30 ? [2 ** 20, 'MiB'] : [2 ** 30, 'GiB'];
  return `${bytes.format(count / divisor)} ${unit}`;
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

function DayChart({ days }: { days: readonly UsageDayResponse[] }) {
  const most = Math.max(1, ...days.map(({ passCreations }) => passCreations));
  return (
    <table class="chart">
      <caption>Passes created, added to wallets and redeemed by day</caption>
      <thead>
        <tr>
          <th>Day</th>
          <th>Created</th>
          <th>Added</th>
          <th>Redeemed</th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ day, passCreations, installations, redemptions }) => (
          <tr key={day}>
            <th scope="row">{dayName.format(new Date(day))}</th>
            <td>
              <Bar part={passCreations / most} />
              {number.format(passCreations)}
            </td>
            <td>{number.format(installations)}</td>
            <td>{number.format(redemptions)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ part }: { part: number }) {
  return <span class="bar" style={{ width: `${part * 75}%` }} aria-hidden="true" />;
}

function MonthChart({ months }: { months: readonly UsageMonthResponse[] }) {
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
              <Bar part={passCreations / most} />
              {number.format(passCreations)}
            </td>
            <td>{activePasses === null ? '—' : number.format(activePasses)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
