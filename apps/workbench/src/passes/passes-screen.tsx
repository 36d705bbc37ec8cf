import { NotFound, PassNotFound, type ResponseOf } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { ImportPanel } from '../import/import-panel.js';
import { passImport } from '../import/pass-import.js';
import { inLocalTime } from '../model/dates.js';
import { stateOf } from '../model/pass.js';
import { SelectField, TextField } from '../ui/field.js';
import { List } from '../ui/list.js';
import { LivePreview } from '../ui/live-preview.js';
import { Badge, Empty, Failure, Form, Heading, Loading } from '../ui/parts.js';
import { go } from '../ui/route.js';
import { useLoad } from '../ui/use-load.js';
import { type Column, Table } from '../ui/table.js';
import { useTask } from '../ui/use-task.js';
import { GoogleProgress } from './google-progress.js';
import { IssueForm } from './issue-form.js';
import { ReplaceForm } from './replace-form.js';

type Template = ResponseOf<'getTemplate'>;
type Panel = 'issue' | 'replace' | 'import' | 'google';
type Voided = 'all' | 'false' | 'true';

const states = [
  ['all', 'All'],
  ['false', 'Not void'],
  ['true', 'Void'],
] as const;

/** The passes of a template, and the form that issues one. */
export function PassesScreen({ templateId }: { templateId: string | null }) {
  const { session } = useWho();
  const [open, setOpen] = useState<Panel | null>(null);
  const [version, setVersion] = useState(0);
  const toggle = (form: Panel) => setOpen(open === form ? null : form);
  const templates = useLoad('templates', (signal) => session.api.listTemplates({ limit: 100, signal }));
  const list = templates.data?.data ?? [];
  const template = list.find(({ id }) => id === templateId) ?? (templateId === null ? list[0] : undefined);
  return (
    <>
      <Heading title="Passes" note="Search, issue, change, void and redeem passes, and see what reached phones.">
        {template && (
          <button type="button" aria-expanded={open === 'google'} onClick={() => toggle('google')}>
            Google Wallet
          </button>
        )}
        {template && (
          <button type="button" aria-expanded={open === 'replace'} onClick={() => toggle('replace')}>
            Replace a text
          </button>
        )}
        {template && (
          <button type="button" aria-expanded={open === 'import'} onClick={() => toggle('import')}>
            Import a file
          </button>
        )}
        {template && !template.archived && (
          <button type="button" class="primary" aria-expanded={open === 'issue'} onClick={() => toggle('issue')}>
            Issue a pass
          </button>
        )}
      </Heading>
      <Failure error={templates.error} onRetry={templates.reload} />
      {templates.isLoading && !templates.data && <Loading />}
      {templates.data && list.length === 0 && (
        <Empty
          title="No templates yet"
          action={
            <a class="button primary" href={addressOf('templates', '+')}>
              New template
            </a>
          }
        >
          Passes are issued from a template.
        </Empty>
      )}
      {templates.data && list.length > 0 && (
        <SelectField
          label="Template"
          value={template?.id ?? templateId ?? ''}
          options={optionsOf(list, templateId)}
          onChange={(id) => go(addressOf('passes', id))}
        />
      )}
      {template && open === 'issue' && <IssueForm template={template} />}
      {template && open === 'google' && <GoogleProgress templateId={template.id} />}
      {template && open === 'replace' && (
        <ReplaceForm
          templateId={template.id}
          isInTemplate={(text) => JSON.stringify(template).includes(JSON.stringify(text).slice(1, -1))}
          onDone={() => setVersion(version + 1)}
        />
      )}
      {template && open === 'import' && (
        <ImportPanel
          key={template.id}
          id={template.id}
          newKind={() => passImport(session.api, template)}
          sample={({ id: _, ...pass }) => <LivePreview templateId={template.id} drafts={{ pass }} />}
          onDone={() => setVersion((count) => count + 1)}
        />
      )}
      {templates.data && (template ?? templateId) && (
        <PassList templateId={template?.id ?? templateId ?? ''} version={version} />
      )}
    </>
  );
}

/** Lists the templates to choose from, including the chosen one if it is not among the latest. */
function optionsOf(list: readonly Template[], templateId: string | null): (readonly [string, string])[] {
  const known = list.map(({ id, title }) => [id, `${title} (${id})`] as const);
  return templateId === null || list.some(({ id }) => id === templateId) ? known : [[templateId, templateId], ...known];
}

function PassList({ templateId, version }: { templateId: string; version: number }) {
  const { session } = useWho();
  const [text, setText] = useState('');
  const [voided, setVoided] = useState<Voided>('all');
  const task = useTask();
  const search = async () => {
    const passId = await found(session, templateId, text.trim());
    if (passId === null)
      throw new Error(`No pass of this template has the id or code “${text.trim()}”. Names are not searched.`);
    go(addressOf('passes', templateId, passId));
  };
  return (
    <>
      <div class="filters">
        <Form class="search" onSubmit={() => text.trim() !== '' && task.run(search)}>
          <TextField
            label="Find a pass"
            type="search"
            placeholder="Id or code"
            value={text}
            onChange={setText}
            error={task.error === null ? null : (task.error as Error).message}
          />
          <button type="submit" disabled={task.isRunning}>
            Find
          </button>
        </Form>
        <SelectField label="State" value={voided} options={states} onChange={setVoided} />
      </div>
      <List
        id={JSON.stringify(['passes', templateId, voided])}
        version={version}
        read={(cursor, signal) =>
          session.api.listPasses({
            templateId,
            cursor,
            signal,
            limit: 25,
            voided: voided === 'all' ? undefined : voided === 'true',
          })
        }
        empty={<Empty title="No passes here">Issue the first one, or choose another template.</Empty>}
      >
        {(passes) => <Table rows={passes} keyOf={({ id }) => id} columns={columns} />}
      </List>
    </>
  );
}

/** Returns the id of the pass with this id or code; null if there is none. */
async function found(
  { api }: ReturnType<typeof useWho>['session'],
  templateId: string,
  text: string,
): Promise<string | null> {
  try {
    return (await api.getPass({ templateId, passId: text })).pass.id;
  } catch (error) {
    if (!(error instanceof PassNotFound || error instanceof NotFound)) throw error;
    const { data } = await api.listPasses({ templateId, code: text, limit: 1 });
    return data[0]?.id ?? null;
  }
}

type ListedPass = ResponseOf<'listPasses'>['data'][number];

const columns: readonly Column<ListedPass>[] = [
  {
    head: 'Pass',
    cell: ({ id, templateId, primaryValue }) => (
      <>
        <a href={addressOf('passes', templateId, id)}>{primaryValue ?? id}</a>
        {primaryValue !== undefined && <code class="muted small"> {id}</code>}
      </>
    ),
  },
  { head: 'Code', isLabelled: true, cell: ({ code }) => <code>{code}</code> },
  { head: 'State', cell: (pass) => <StateBadge pass={pass} /> },
  { head: 'Changed', class: 'muted', isLabelled: true, cell: ({ updatedAt }) => inLocalTime(updatedAt) },
];

function StateBadge({ pass }: { pass: ListedPass }) {
  const { word, tone } = stateOf(pass, Date.now());
  return <Badge tone={tone}>{word}</Badge>;
}
