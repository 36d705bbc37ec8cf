import { useMemo, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { samplesOf } from '../api/request-samples.js';
import { addressOf } from '../model/screen-address.js';
import type { Finding } from '../model/findings.js';
import { type Body, idFrom, isObject, textOf } from '../model/template.js';
import { CopyAs } from '../ui/copy.js';
import { AreaField } from '../ui/field.js';
import { LivePreview } from '../ui/live-preview.js';
import { Badge, Choice, Heading } from '../ui/parts.js';
import { ArchiveButtons } from './archive-buttons.js';
import { SaveDialog } from './save-dialog.js';
import { TemplateForm } from './template-form.js';
import type { Stored } from './stored-template.js';

interface EditorProps {
  /** Null for a new template. */
  readonly stored: Stored | null;
  readonly body: Body;
  /** Sentences about the parts of an imported pass that the template does not have. */
  readonly notes?: readonly string[];
  readonly onStored?: (stored: Stored) => void;
  readonly onReload?: () => void;
}

type View = 'form' | 'json' | 'preview';
const views = [
  ['form', 'Form'],
  ['json', 'JSON'],
  ['preview', 'Preview'],
] as const;

/** A template as a form and as JSON, beside its preview in every wallet. */
export function TemplateEditor({ stored, body, notes = [], onStored, onReload }: EditorProps) {
  const { session } = useWho();
  const { draft, text, mistake, change, changeText } = useDraft(body);
  const [chosenId, setId] = useState<string | null>(null);
  const [view, setView] = useState<View>('form');
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const [isSaving, setSaving] = useState(false);
  const templateId = stored?.template.id ?? chosenId ?? idFrom(textOf(draft, 'title'));
  const isArchived = stored?.template.archived === true;
  const path = `/v1/templates/${encodeURIComponent(templateId)}`;
  const headers = { Authorization: 'Bearer', 'Content-Type': 'application/json' };
  const samples = samplesOf({ method: 'POST', url: session.baseUrl + path, headers, body: draft });
  const drafts = useMemo(() => ({ template: draft }), [draft]);
  return (
    <>
      <Heading
        title={textOf(draft, 'title') || 'Untitled template'}
        note={
          <>
            <a href={addressOf('templates')}>Templates</a> / <code>{templateId || '…'}</code>{' '}
            {isArchived && <Badge tone="ended">archived</Badge>}
          </>
        }
      >
        <CopyAs samples={samples} />
        {stored && (
          <a class="button" href={addressOf('passes', templateId)}>
            Passes
          </a>
        )}
        {stored && <ArchiveButtons template={stored.template} onDone={onReload} />}
        <button
          type="button"
          class="primary"
          disabled={isArchived || mistake !== null || templateId === ''}
          onClick={() => setSaving(true)}
        >
          Save …
        </button>
      </Heading>
      {notes.length > 0 && <ImportNotes notes={notes} />}
      <Choice label="View" class="views" options={views} value={view} onChange={setView} />
      <div class={`editor show-${view}`}>
        <div class="pane form-pane">
          <TemplateForm
            draft={draft}
            templateId={templateId}
            onId={stored ? null : setId}
            findings={findings}
            onChange={change}
          />
        </div>
        <div class="pane json-pane">
          <AreaField
            label="JSON"
            class="code"
            rows={28}
            value={text}
            error={mistake}
            hint="The body of POST /v1/templates/{templateId}. The form and the preview follow it."
            onChange={changeText}
          />
        </div>
        <div class="pane preview-pane">
          <LivePreview templateId={templateId || 'draft'} drafts={drafts} onFindings={setFindings} />
        </div>
      </div>
      {isSaving && (
        <SaveDialog
          templateId={templateId}
          stored={stored}
          before={stored ? body : {}}
          draft={draft}
          onClose={() => setSaving(false)}
          onStored={onStored}
        />
      )}
    </>
  );
}

function ImportNotes({ notes }: { notes: readonly string[] }) {
  return (
    <details class="notice waiting" open>
      <summary>Imported. Not in the template:</summary>
      <ul class="notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}

/** Keeps a draft as an object and as text. The object follows the text whenever the text can be parsed. */
function useDraft(body: Body) {
  const [draft, setDraft] = useState(body);
  const [text, setText] = useState(() => JSON.stringify(body, null, 2));
  const mistake = useMemo(() => mistakeIn(text), [text]);
  const change = (next: Body) => {
    setDraft(next);
    setText(JSON.stringify(next, null, 2));
  };
  const changeText = (next: string) => {
    setText(next);
    if (mistakeIn(next) === null) setDraft(JSON.parse(next) as Body);
  };
  return { draft, text, mistake, change, changeText };
}

/** Returns the problem of a text that is not a JSON object; null if it is one. */
function mistakeIn(text: string): string | null {
  try {
    return isObject(JSON.parse(text)) ? null : 'This must be a JSON object.';
  } catch (error) {
    return `This is not JSON yet: ${(error as Error).message}`;
  }
}
