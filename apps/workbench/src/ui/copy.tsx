import { useState } from 'preact/hooks';
import type { Samples } from '../api/request-samples.js';
import { announce } from './announcer.js';
import { copied } from './clipboard.js';

interface CopyProps {
  readonly text: string;
  readonly label?: string;
  /** The name for screen readers, if the label alone does not say what is copied. */
  readonly name?: string;
}

/** Copies a text, and says so. */
export function Copy({ text, label = 'Copy', name }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    const isDone = await copied(text);
    announce(isDone ? 'Copied.' : 'The browser does not allow copying.');
    if (!isDone) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="copy" aria-label={name} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </button>
  );
}

const forms = [
  ['curl', 'curl'],
  ['client', 'TypeScript'],
  ['yaml', 'YAML'],
] as const;

/** Copies a request as a curl command, as code of the client, or its body as YAML. */
export function CopyAs({ samples }: { samples: Samples }) {
  return (
    <span class="copies" role="group" aria-label="Copy as">
      <span class="muted small" aria-hidden="true">
        Copy as
      </span>
      {forms.map(([form, label]) => {
        const text = samples[form];
        return text !== null && <Copy key={form} text={text} label={label} name={`Copy as ${label}`} />;
      })}
    </span>
  );
}
