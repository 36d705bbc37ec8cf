/*
 * A page as an eta template. Write every user-supplied value with `<%= %>`, which escapes it, and only into an element or
 * a double-quoted attribute. Use `<%~ %>`, which does not escape, only for the constant style sheet and script.
 */
const field = `<div class="field">
<label for="<%= field.name %>"><%= field.label %></label>
<% if (field.hint) { %><p class="hint" id="<%= field.name %>-hint"><%= field.hint %></p>
<% } if (field.error) { %><p class="error" id="<%= field.name %>-error"><span class="hidden">Error: </span><%= field.error %></p>
<% } %><div class="control"><input id="<%= field.name %>" name="<%= field.name %>" type="<%= field.type %>" autocomplete="<%= field.autocomplete %>" maxlength="<%= field.max %>" value="<%= field.value %>"<% if (field.readOnly) { %> readonly<% } else { %> required<% } if (field.min) { %> minlength="<%= field.min %>"<% } if (field.describedBy) { %> aria-describedby="<%= field.describedBy %>"<% } if (field.error) { %> aria-invalid="true"<% } if (field.focus) { %> autofocus<% } %> spellcheck="false" autocapitalize="<%= field.capitalize %>"></div>
</div>
`;

/** The template of a page. `formPage` provides its data. */
export const formTemplate = `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<title><%= it.title %></title>
<link rel="icon" href="data:,">
<style><%~ it.sheet %></style>
</head>
<body>
<main>
<p class="place brand"><span class="mark" aria-hidden="true"><%= it.mark %></span><span><% if (it.brand) { %><strong dir="auto"><%= it.brand %></strong> <%= it.place %><% } else { %><strong><%= it.place %></strong><% } %></span></p>
<section class="sheet">
<h1><%= it.heading %></h1>
<% if (it.state) { %><p class="state <%= it.state.kind %>" role="<%= it.state.kind === 'good' ? 'status' : 'alert' %>"><%= it.state.text %></p>
<% } if (it.paragraphs.length > 0) { %><div class="text">
<% for (const paragraph of it.paragraphs) { %><p><% for (const part of paragraph) { %><% if (part.strong) { %><strong dir="auto"><%= part.text %></strong><% } else { %><%= part.text %><% } %><% } %></p>
<% } %></div>
<% } if (it.form) { %><form method="post" novalidate<% if (it.form.action) { %> action="<%= it.form.action %>"<% } %>>
<% for (const [name, value] of it.form.hidden) { %><input type="hidden" name="<%= name %>" value="<%= value %>">
<% } for (const field of it.form.fields) { %>${field}<% } %><button class="button" type="submit"><%= it.form.button %></button>
</form>
<% } if (it.next) { %><p><a class="button" href="<%= it.next.href %>"><%= it.next.text %></a></p>
<% } for (const link of it.links) { %><p><a href="<%= link.href %>"><%= link.text %></a></p>
<% } for (const note of it.notes) { %><p class="small"><%= note %></p>
<% } %></section>
</main>
<% if (it.script) { %><script><%~ it.script %></script>
<% } %></body>
</html>
`;
