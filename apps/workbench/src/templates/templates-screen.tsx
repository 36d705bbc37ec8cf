import type { ResponseOf } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { localDay } from '../model/dates.js';
import { types } from '../model/template.js';
import { SelectField, TextField } from '../ui/field.js';
import { List } from '../ui/list.js';
import { Badge, Empty, Heading } from '../ui/parts.js';

type Template = ResponseOf<'getTemplate'>;
type Type = 'all' | Template['type'];
type Archived = 'false' | 'true';

const typeOptions = [['all', 'All types'], ...types] as const;
const archivedOptions = [
  ['false', 'In use'],
  ['true', 'Archived'],
] as const;

/** The templates of the account. */
export function TemplatesScreen() {
  const { session } = useWho();
  const [q, setText] = useState('');
  const [type, setType] = useState<Type>('all');
  const [archived, setArchived] = useState<Archived>('false');
  const isFiltered = q !== '' || type !== 'all' || archived === 'true';
  const create = (
    <a class="button primary" href={addressOf('templates', '+')}>
      New template
    </a>
  );
  return (
    <>
      <Heading title="Templates" note="A template gives passes their texts, colours and images.">
        {create}
      </Heading>
      <div class="filters">
        <TextField label="Search" type="search" value={q} onChange={setText} placeholder="Title or id" />
        <SelectField label="Type" value={type} options={typeOptions} onChange={setType} />
        <SelectField label="State" value={archived} options={archivedOptions} onChange={setArchived} />
      </div>
      <List
        id={JSON.stringify(['templates', q, type, archived])}
        read={(cursor, signal) =>
          session.api.listTemplates({
            limit: 24,
            cursor,
            signal,
            archived,
            q: q || undefined,
            type: type === 'all' ? undefined : type,
          })
        }
        empty={
          isFiltered ? (
            <Empty title="No template matches">Change the filters.</Empty>
          ) : (
            <Empty title="No templates yet" action={create}>
              Start from an example: it can be saved as it is, and you see every wallet while you change it.
            </Empty>
          )
        }
      >
        {(templates) => (
          <ul class="cards">
            {templates.map((template) => (
              <Card key={template.id} template={template} />
            ))}
          </ul>
        )}
      </List>
    </>
  );
}

function Card({ template }: { template: Template }) {
  const { session } = useWho();
  const { id, title, issuerName, type, icon, backgroundColor, foregroundColor, archived, updatedAt } = template;
  return (
    <li class="card">
      <div class="swatch" style={{ background: backgroundColor, color: foregroundColor }} aria-hidden="true">
        {icon.startsWith(`${session.baseUrl}/`) && <img src={icon} alt="" width="40" height="40" loading="lazy" />}
        <span>{issuerName}</span>
      </div>
      <h2>
        <a href={addressOf('templates', id)}>{title}</a>
      </h2>
      <p class="muted small">
        <code>{id}</code>
      </p>
      <p class="card-foot">
        <Badge tone={archived ? 'ended' : 'plain'}>{archived ? 'archived' : type}</Badge>
        <span class="muted small">{localDay(updatedAt)}</span>
      </p>
    </li>
  );
}
