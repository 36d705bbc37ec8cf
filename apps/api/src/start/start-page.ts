import type { WebPage } from '@passwright/wallet-renderers';
import { pageRenderer, type PageView } from '../pages/page.js';

/** The state of the service that its start page shows. */
export interface StartPageContent {
  readonly root: string;
  readonly version: string;
  /** The reason why the service is not ready; null if it is. */
  readonly problem: string | null;
  readonly registration: 'open' | 'closed';
  /** True if users can also sign in through an identity provider. */
  readonly signsInByProvider: boolean;
}

const stepOne = `<% if (it.registration === 'open') { %><a href="<%= it.root %>/docs#/auth/register">Register</a>
<p class="muted">This creates your user and your account. Copy the <code>accessToken</code> from the response, press <em>Authorize</em>, and paste it.</p>
<% } else { %><a href="<%= it.root %>/docs#/auth/login">Log in</a>
<p class="muted">Registration is closed here; an admin of an account can invite you. Copy the <code>accessToken</code> from the response, press <em>Authorize</em>, and paste it.</p>
<% } %>`;

const render = pageRenderer<StartPageContent & PageView>(`<main>
<div class="brand">
<img src="<%= it.root %>/favicon.svg" alt="" width="56" height="56">
<div>
<h1>Passwright</h1>
<p class="muted">Version <%= it.version %></p>
</div>
</div>
<p class="lead">Issue passes for Apple Wallet, Google Wallet and the web, and keep them current.</p>
<p class="state <%= it.problem === null ? 'good' : 'ended' %>"><%= it.problem === null ? 'The service is ready.' : 'The service is not ready. ' + it.problem %></p>
<section class="sheet" aria-labelledby="workbench">
<h2 id="workbench">In the browser</h2>
<p class="muted">Make templates with a live preview of every wallet, issue passes, and see what reached phones.</p>
<p class="actions"><a class="button" href="<%= it.root %>/workbench">Open the workbench</a></p>
<p class="muted">If you have forgotten your password, <a href="<%= it.root %>/password/forgot">set a new one</a>.</p>
</section>
<section class="sheet" aria-labelledby="steps">
<h2 id="steps">Through the API</h2>
<ol class="steps">
<li>${stepOne}</li>
<li><a href="<%= it.root %>/docs#/templates/upsertTemplate">Save a template</a>
<p class="muted">A template gives passes their texts, colours and images. The example works as it is.</p></li>
<li><a href="<%= it.root %>/docs#/passes/createPass">Issue a pass</a>
<p class="muted">The response has the links of the pass. Open its <code>webUrl</code> in a browser or on a phone.</p></li>
</ol>
<p class="muted">If you have a user already, begin with <a href="<%= it.root %>/docs#/auth/login"><code>POST /v1/auth/login</code></a><% if (it.signsInByProvider) { %> or <a href="<%= it.root %>/docs#/auth/startSignIn">your identity provider</a><% } %>.</p>
</section>
<section class="sheet" aria-labelledby="documents">
<h2 id="documents">Documents</h2>
<ul class="list">
<li><a href="<%= it.root %>/guides">Guides</a>
<p class="muted">Quick start, concepts, recipes, operation, error codes; with a search.</p></li>
<li><a href="<%= it.root %>/docs">Swagger UI</a>
<p class="muted">Every operation, with examples that you can run.</p></li>
<li><a href="<%= it.root %>/openapi.json">OpenAPI document</a> (or <a href="<%= it.root %>/openapi.yaml">as YAML</a>, or <a href="<%= it.root %>/postman.json">for Postman</a>)
<p class="muted">The contract, from which you can generate a client.</p></li>
<li><a href="<%= it.root %>/health/ready">Health</a>
<p class="muted">The readiness of this node, as load balancers see it.</p></li>
</ul>
</section>
</main>`);

/** Builds the page that a browser shows for the address of the service. */
export function startPage(content: StartPageContent): WebPage {
  return render({ ...content, title: 'Passwright' });
}
