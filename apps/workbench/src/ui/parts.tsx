import type { ComponentChildren } from 'preact';
import { PasswrightError } from '@passwright/client';
import { Copy } from './copy.js';

type Children = { readonly children?: ComponentChildren };

/** The heading of a screen, with its actions. Screens focus it when they open. */
export function Heading({ title, note, children }: Children & { title: string; note?: ComponentChildren }) {
  return (
    <header class="heading">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {note !== undefined && <p class="muted">{note}</p>}
      </div>
      <div class="actions">{children}</div>
    </header>
  );
}

/** A failure of a request: what the API says, and the request id for people who ask for help. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error === null || error === undefined) return null;
  const { message, code, requestId } = detailsOf(error);
  return (
    <div class="notice ended" role="alert">
      <p>{message}</p>
      {code !== null && (
        <p class="small">
          <code>{code}</code>
          {requestId !== null && <> · request {requestId}</>}
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function detailsOf(error: unknown): { message: string; code: string | null; requestId: string | null } {
  if (!(error instanceof PasswrightError)) return { message: String(error), code: null, requestId: null };
  const { message, code, requestId } = error;
  if (code === 'connection_failed') return { message: 'The service cannot be reached.', code, requestId };
  return { message, code, requestId };
}

/** The sentences of an error that do not concern a field of the form. */
export function OtherProblems({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <p class="notice ended" role="alert">
      {texts.join(' ')}
    </p>
  );
}

/** A placeholder for data that is still loading. It has about the size of the data, so that nothing jumps. */
export function Loading({ rows = 4 }: { rows?: number }) {
  return (
    <div class="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} />
      ))}
    </div>
  );
}

/** An empty list: what it is for, and the first step. */
export function Empty({ title, children, action }: Children & { title: string; action?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p class="muted">{children}</p>
      {action}
    </div>
  );
}

/** A link with buttons to open and copy it. */
export function LinkRow({ label, url }: { label: string; url: string }) {
  return (
    <div class="link-row">
      <span>{label}</span>
      <a href={url} target="_blank" rel="noreferrer">
        {url}
      </a>
      <Copy text={url} />
    </div>
  );
}

/** A secret that the API shows only once. */
export function Once({ title, secret, children }: Children & { title: string; secret: string }) {
  return (
    <section class="notice good" role="status">
      <h2>{title}</h2>
      <p>Copy it now: it is shown only once.</p>
      <p class="secret">
        <code>{secret}</code>
        <Copy text={secret} />
      </p>
      {children}
    </section>
  );
}

/** A state in one word. */
export function Badge({ tone, children }: Children & { tone: 'good' | 'waiting' | 'ended' | 'plain' }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A row of options with one chosen option. */
export function Choice<Name extends string>(props: {
  label: string;
  options: readonly (readonly [name: Name, label: string])[];
  value: Name;
  onChange: (name: Name) => void;
  class?: string;
}) {
  const { label, options, value, onChange, class: name = '' } = props;
  return (
    <div class={`choice ${name}`} role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </div>
  );
}

type FormProps = Children & { onSubmit: () => void; class?: string; 'aria-label'?: string };

/** A form that a function of the page submits, not the browser. */
export function Form({ onSubmit, children, ...rest }: FormProps) {
  return (
    <form
      noValidate
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
