import { type AppError, errorBody } from '@passwright/core';
import type { WebPage } from '@passwright/wallet-renderers';
import { errorHelpUrl, pageRenderer, type PageView } from './page.js';

interface ErrorView extends PageView, Advice {
  readonly status: string;
  readonly code: string;
  readonly docUrl: string;
  readonly message: string;
  readonly requestId: string;
  readonly mayRepeat: boolean;
}

/** The texts for one status: a heading, what has happened, and what to do now. */
interface Advice {
  readonly heading: string;
  readonly happened: string;
  readonly next: string;
}

const advice: Readonly<Record<number, Advice>> = {
  401: {
    heading: 'This needs a sign-in',
    happened: 'The address needs an access token or an API key, or a sign-in has expired.',
    next: 'Sign in again, or open the API reference and run the operation there.',
  },
  403: {
    heading: 'You may not open this',
    happened: 'The service does not allow this. The message below says why.',
    next: 'Ask an admin of your account.',
  },
  404: {
    heading: 'There is nothing here',
    happened: 'No page has this address. It may be incomplete, or what was here has been deleted.',
    next: 'Check the address, or begin at the start page.',
  },
  405: {
    heading: 'A browser cannot open this',
    happened: 'This address belongs to the API and is not for reading.',
    next: 'Open the API reference and run the operation there.',
  },
  410: {
    heading: 'This is no longer here',
    happened: 'It was deleted, or its link has expired.',
    next: 'If you still need it, ask the sender for a new link.',
  },
  429: {
    heading: 'Too many requests',
    happened: 'The service has received more requests from your network than it allows.',
    next: 'Wait a moment, then try again.',
  },
  500: {
    heading: 'Something went wrong',
    happened: 'The error is on our side, and the service has logged it.',
    next: 'Try again in a few minutes. If the error stays, send the request ID to the operator of this service.',
  },
  503: {
    heading: 'The service is not available now',
    happened: 'It is starting, stopping, or waiting for a system that it needs.',
    next: 'Try again in a few minutes.',
  },
};

const other: Advice = {
  heading: 'This request cannot be answered',
  happened: 'The service has rejected the request. The message below says why.',
  next: 'Correct the address, or begin at the start page.',
};

const render = pageRenderer<ErrorView>(`<main class="error">
<section class="sheet" aria-labelledby="heading">
<h1 id="heading"><%= it.heading %></h1>
<div class="text">
<p><%= it.happened %></p>
<p><%= it.next %></p>
</div>
<p class="actions">
<% if (it.mayRepeat) { %><a class="button" href="">Try again</a>
<% } else { %><a class="button" href="<%= it.root %>/">Start page</a>
<a href="<%= it.root %>/docs">API reference</a>
<% } %></p>
<dl class="facts">
<dt>Message</dt><dd><%= it.message %></dd>
<dt>Status</dt><dd><%= it.status %> · <a href="<%= it.docUrl %>"><code><%= it.code %></code></a></dd>
<dt>Request ID</dt><dd><code><%= it.requestId %></code></dd>
</dl>
</section>
</main>`);

/**
 * Builds the page that explains a failure to a person in a browser: what has happened, what to do, and the request id
 * to quote.
 */
export function errorPage(failure: AppError, requestId: string, root: string): WebPage {
  const { statusCode, code, error, message, docUrl } = errorBody(failure, errorHelpUrl(root));
  const words = advice[statusCode] ?? other;
  return render({
    ...words,
    title: `${words.heading} · Passwright`,
    root,
    status: `${statusCode} ${error}`,
    code,
    docUrl: docUrl ?? '',
    message,
    requestId,
    mayRepeat: statusCode === 429 || statusCode >= 500,
  });
}
