import { useEffect, useState } from 'preact/hooks';
import { useWho } from './api/current-user.js';
import { addressOf } from './model/screen-address.js';
import { Badge, Failure } from './ui/parts.js';
import { useTask } from './ui/use-task.js';

const sections = [
  ['templates', 'Templates'],
  ['passes', 'Passes'],
  ['scan', 'Scan'],
  ['messages', 'Messages'],
  ['members', 'Members'],
  ['holders', 'Holders'],
  ['people', 'People'],
  ['keys', 'API keys'],
  ['plans', 'Agent plans'],
  ['certificates', 'Certificates'],
  ['webhooks', 'Webhooks'],
  ['audit', 'Audit trail'],
  ['usage', 'Usage'],
  ['account', 'Account'],
] as const;

interface OwnAccount {
  readonly id: string;
  readonly name: string;
  readonly test: boolean;
}

/** The account, the sections and the sign-out. On a phone a button opens them. */
export function Navigation({ route, accounts }: { route: readonly string[]; accounts: readonly OwnAccount[] }) {
  const { session, user, accountId, isTest } = useWho();
  const [isOpen, setOpen] = useState(false);
  const task = useTask();
  const [section = 'templates'] = route;
  useEffect(() => setOpen(false), [route.join('/')]);
  return (
    <header class={`side${isOpen ? ' open' : ''}`}>
      <div class="brand">
        <img src={`${session.baseUrl}/favicon.svg`} alt="" width="28" height="28" />
        <a href="#/templates">Passwright</a>
        {isTest && <Badge tone="waiting">Test</Badge>}
        <button type="button" class="menu" aria-expanded={isOpen} aria-controls="menu" onClick={() => setOpen(!isOpen)}>
          Menu
        </button>
      </div>
      <div id="menu" class="menu-content">
        {accounts.length === 1 && <p class="account">{accounts[0]?.name}</p>}
        {accounts.length > 1 && (
          <div class="field">
            <label for="account">Account</label>
            <select
              id="account"
              value={accountId ?? ''}
              disabled={task.isRunning}
              onChange={({ currentTarget }) => {
                const { value } = currentTarget;
                task.run(() => session.switchTo(value));
              }}
            >
              <AccountOptions accounts={accounts} chosen={accountId} />
            </select>
          </div>
        )}
        <Failure error={task.error} />
        <nav aria-label="Sections">
          <ul>
            {sections.map(([name, label]) => (
              <li key={name}>
                <a href={addressOf(name)} aria-current={section === name ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="foot">
          <a href={`${session.baseUrl}/docs`}>API reference</a>
          {user ? (
            <a href={addressOf('you')} aria-current={section === 'you' ? 'page' : undefined}>
              {user.email}
            </a>
          ) : (
            <p class="muted small">Signed in with an API key</p>
          )}
          <button type="button" onClick={() => void session.signOut()}>
            Sign out
          </button>
        </div>
      </div>
    </header>
  );
}

/** Lists the accounts of the user. If there are test accounts, lists them in a separate group. */
function AccountOptions({ accounts, chosen }: { accounts: readonly OwnAccount[]; chosen: string | null }) {
  const optionsOf = (some: readonly OwnAccount[]) =>
    some.map(({ id, name }) => (
      <option key={id} value={id} selected={id === chosen}>
        {name}
      </option>
    ));
  const [live, tests] = [accounts.filter(({ test }) => !test), accounts.filter(({ test }) => test)];
  if (tests.length === 0) return <>{optionsOf(live)}</>;
  return (
    <>
      {live.length > 0 && <optgroup label="Live">{optionsOf(live)}</optgroup>}
      <optgroup label="Test">{optionsOf(tests)}</optgroup>
    </>
  );
}
