import type { OpenAPIObject } from '@nestjs/swagger';
import { Eta } from 'eta';
import MarkdownIt from 'markdown-it';

interface DocsView {
  /** The path of Swagger UI's files, relative to the page. */
  readonly below: string;
  readonly info: OpenAPIObject['info'];
  readonly server: string;
  /** The introduction as HTML. The conventions are HTML too. */
  readonly introduction: string;
  readonly conventions: string;
  readonly groups: readonly ListedGroup[];
}

interface ListedGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly ListedOperation[];
}

interface ListedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;
const markdown = new MarkdownIt();
const eta = new Eta({ autoEscape: true });

// The list has the classes of Swagger UI, so that it looks the same before and after it is replaced. The policy of the
// page forbids inline scripts and styles.
const template = eta.compile(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Passwright API</title>
<meta name="description" content="Every operation of the Passwright API, with examples that you can run.">
<link rel="stylesheet" href="<%= it.below %>swagger-ui.css">
<link rel="stylesheet" href="<%= it.below %>passwright.css">
<script src="<%= it.below %>operations.js"></script>
<link rel="icon" href="<%= it.below %>../favicon.ico" sizes="32x32">
<link rel="icon" href="<%= it.below %>../favicon.svg" type="image/svg+xml">
</head>
<body>
<header class="masthead">
<a href="<%= it.below %>../"><img src="<%= it.below %>../favicon.svg" alt="" width="32" height="32"> Passwright</a>
<nav aria-label="Documents"><a href="<%= it.below %>../guides">Guides</a> <a href="<%= it.below %>../openapi.json">JSON</a> <a href="<%= it.below %>../openapi.yaml">YAML</a></nav>
</header>
<section class="swagger-ui" aria-label="About the API">
<div class="wrapper"><div class="info">
<h1 class="title">API reference</h1>
<p class="facts">Version <%= it.info.version %> · <code><%= it.server %></code></p>
<%~ it.introduction %>
<details>
<summary>Conventions of all operations</summary>
<%~ it.conventions %>
</details>
</div></div>
</section>
<div id="list" class="swagger-ui">
<section class="scheme-container" aria-label="Authorization"><div class="schemes wrapper"><div class="auth-wrapper"><button type="button" class="btn authorize unlocked"><span>Authorize</span></button></div></div></section>
<div class="filter wrapper" role="search"><input class="operation-filter-input" type="text" autocomplete="off" aria-label="Search operations" placeholder="Search operations, such as: void pass"></div>
<main class="wrapper">
<% for (const group of it.groups) { %><details class="opblock-tag-section">
<summary class="opblock-tag" data-tag="<%= group.name %>"><h2><%= group.name %></h2><small><%= group.description %></small></summary>
<div id="/<%= group.name %>">
<% for (const one of group.operations) { %><a class="opblock opblock-<%= one.method %>" id="/<%= group.name %>/<%= one.id %>" href="#/<%= group.name %>/<%= one.id %>"><span class="opblock-summary"><span class="opblock-summary-method"><%= one.method.toUpperCase() %></span> <span class="opblock-summary-path-description-wrapper"><span class="opblock-summary-path"><%= one.path %></span> <span class="opblock-summary-description"><%= one.summary %></span></span></span></a>
<% } %></div>
</details>
<% } %></main>
</div>
<div id="swagger-ui"></div>
</body>
</html>
`);

/**
 * Builds the page of Swagger UI. Its list of operations needs no script, and Swagger UI replaces it when a reader opens
 * an operation.
 */
export function docsPage(below: string, document: OpenAPIObject): string {
  const { info, servers = [] } = document;
  // Split off the list of conventions, which follows the introduction.
  const [introduction = '', conventions = ''] = (info.description ?? '').split(/\n\n(?=\* )/, 2);
  const view: DocsView = {
    below,
    info,
    server: servers[0]?.url ?? '',
    introduction: markdown.render(introduction),
    conventions: markdown.render(conventions),
    groups: groupsOf(document),
  };
  return eta.render(template, view);
}

/** Lists the groups in order, without `mcp`, whose operations are in other groups too. */
function groupsOf({ paths, tags = [] }: OpenAPIObject): ListedGroup[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, ...operation }] : [];
    }),
  );
  return tags.flatMap(({ name, description = '' }) => {
    const listed = operations
      .filter((operation) => name !== 'mcp' && operation.tags?.includes(name))
      .map(({ operationId = '', summary = '', method, path }) => ({ id: operationId, summary, method, path }));
    return listed.length > 0 ? [{ name, description, operations: listed }] : [];
  });
}
