import { render } from 'preact';
import { RequestLog } from './api/request-log.js';
import { Session } from './api/session.js';
import { returnedSignIn } from './api/identity-provider.js';
import { App } from './app.js';

async function start(root: HTMLElement): Promise<void> {
  const baseUrl = new URL('..', import.meta.url).href.replace(/\/$/, '');
  const log = new RequestLog();
  const session = new Session(baseUrl, log.fetch);
  addEventListener('pagehide', () => session.leave(sessionStorage));
  addEventListener('pageshow', ({ persisted }) => persisted && session.comeBack(sessionStorage));
  const returned = returnedSignIn(sessionStorage);
  let problem = returned?.problem ?? null;
  if (returned?.code) {
    await session.redeem(returned.code).catch(() => (problem = 'The sign-in took too long. Sign in again.'));
  } else await session.resume(sessionStorage);
  render(<App session={session} log={log} problem={problem} hasProvider={root.dataset.provider === 'yes'} />, root);
}

const root = document.getElementById('app');
if (root) void start(root);
