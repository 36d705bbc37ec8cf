import { useEffect, useRef } from 'preact/hooks';
import { type Who, WhoContext } from './api/current-user.js';
import type { RequestLog } from './api/request-log.js';
import type { Session, SignIn } from './api/session.js';
import { AccountScreen } from './account/account-screen.js';
import { CertificatesScreen } from './account/certificates-screen.js';
import { KeysScreen } from './account/keys-screen.js';
import { MembersScreen } from './account/members-screen.js';
import { PeopleScreen } from './account/people-screen.js';
import { PlansScreen } from './account/plans-screen.js';
import { UsageScreen } from './account/usage-screen.js';
import { WebhookScreen } from './account/webhook-screen.js';
import { WebhooksScreen } from './account/webhooks-screen.js';
import { MessageScreen } from './messages/message-screen.js';
import { MessagesScreen } from './messages/messages-screen.js';
import { AuditScreen } from './audit/audit-screen.js';
import { EventsScreen } from './events/events-screen.js';
import { HoldersScreen } from './holders/holders-screen.js';
import { focusOrHeading } from './focus.js';
import { addressOf } from './model/screen-address.js';
import { Navigation } from './navigation.js';
import { NotFoundScreen } from './not-found-screen.js';
import { PassScreen } from './passes/pass-screen.js';
import { PassesScreen } from './passes/passes-screen.js';
import { Requests } from './requests.js';
import { ScanScreen } from './scan/scan-screen.js';
import { SignInScreen } from './sign-in-screen.js';
import { TemplateScreen } from './templates/template-screen.js';
import { TemplatesScreen } from './templates/templates-screen.js';
import { YouScreen } from './you/you-screen.js';
import { Failure, Loading } from './ui/parts.js';
import { useRoute } from './ui/route.js';
import { useLoad } from './ui/use-load.js';
import { useStore } from './ui/use-store.js';

interface AppProps {
  readonly session: Session;
  readonly log: RequestLog;
  readonly hasProvider: boolean;
  readonly problem: string | null;
}

/** The workbench: the sign-in, or the screens of the account. */
export function App({ session, log, hasProvider, problem }: AppProps) {
  const state = useStore(session.state);
  if (state.kind === 'out') {
    return <SignInScreen session={session} hasProvider={hasProvider} message={state.message ?? problem} />;
  }
  return <SignedIn key={state.kind === 'user' ? state.accountId : 'key'} {...{ session, log, state }} />;
}

function SignedIn({ session, log, state }: { session: Session; log: RequestLog; state: SignIn }) {
  const me = useLoad('me', async () => (state.kind === 'user' ? await session.api.getMe() : null));
  const route = useRoute();
  useFocusOnHeading(route.join('/'));
  const accounts = me.data?.accounts ?? [];
  const account = accounts.find(({ id }) => id === me.data?.accountId);
  const who: Who = {
    session,
    log,
    user: me.data,
    accountId: account?.id ?? null,
    isTest: state.kind === 'key' ? state.isTest : account?.test === true,
    mayManage: state.kind === 'key' || account?.isAdmin === true,
    reload: me.reload,
  };
  if (me.error !== null) return <Failure error={me.error} onRetry={me.reload} />;
  return (
    <WhoContext.Provider value={who}>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('main h1')?.focus();
        }}
      >
        Skip to the content
      </a>
      <Navigation route={route} accounts={accounts} />
      <div class="page">
        <main id="content">
          {me.isLoading && state.kind === 'user' && !me.data ? <Loading /> : <Screen route={route} />}
        </main>
        <Requests log={log} />
      </div>
    </WhoContext.Provider>
  );
}

function Screen({ route }: { route: readonly string[] }) {
  const [section = 'templates', first, second] = route;
  if (section === 'templates') return first ? <TemplateScreen key={first} templateId={first} /> : <TemplatesScreen />;
  if (section === 'passes' && first && second) {
    return <PassScreen key={`${first}/${second}`} templateId={first} passId={second} />;
  }
  if (section === 'passes') return <PassesScreen key={first ?? ''} templateId={first ?? null} />;
  if (section === 'scan') return <ScanScreen templateId={first ?? null} />;
  if (section === 'messages' && first && first !== '+') return <MessageScreen key={first} messageId={first} />;
  if (section === 'messages') return <MessagesScreen key={second ?? ''} templateId={first ? (second ?? null) : null} />;
  if (section === 'members') return <MembersScreen />;
  if (section === 'holders') {
    return <HoldersScreen key={route.join('/')} templateId={first ?? null} passId={second ?? null} />;
  }
  if (section === 'people') return <PeopleScreen />;
  if (section === 'keys') return <KeysScreen />;
  if (section === 'plans') return <PlansScreen />;
  if (section === 'certificates') return <CertificatesScreen />;
  if (section === 'webhooks' && first && second === 'events') return <EventsScreen key={first} webhookId={first} />;
  if (section === 'webhooks') return first ? <WebhookScreen key={first} webhookId={first} /> : <WebhooksScreen />;
  if (section === 'audit') return <AuditScreen key={first ?? ''} target={first ?? null} />;
  if (section === 'usage') return <UsageScreen />;
  if (section === 'account') return <AccountScreen />;
  if (section === 'you') return <YouScreen />;
  return <NotFoundScreen address={addressOf(...route)} />;
}

/** Moves the focus to the heading of a screen that was just opened, as a browser does for a new page. */
function useFocusOnHeading(address: string): void {
  const former = useRef(address);
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1');
    document.title = heading ? `${heading.textContent} · Passwright` : 'Passwright workbench';
    if (former.current === address) return;
    former.current = address;
    scrollTo(0, 0);
    focusOrHeading(heading);
  });
}
