import { etagOf } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { bodyOf, starterOf, type TemplateType, types } from '../model/template.js';
import { Failure, Heading, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { ImportField } from './import-field.js';
import type { Imported } from './imported.js';
import { TemplateEditor } from './template-editor.js';
import type { Stored } from './stored-template.js';

/** One template, stored or new. The id `+`, which no template can have, stands for a new one. */
export function TemplateScreen({ templateId }: { templateId: string }) {
  return templateId === '+' ? <NewTemplate /> : <StoredTemplate templateId={templateId} />;
}

function StoredTemplate({ templateId }: { templateId: string }) {
  const { session } = useWho();
  const { data, error, reload, replace } = useLoad<Stored>(templateId, async (signal) => {
    const template = await session.api.getTemplate({ templateId, signal });
    return { template, etag: etagOf(template) };
  });
  if (data) {
    const key = `${templateId} ${data.etag ?? ''}`;
    return <TemplateEditor key={key} stored={data} body={bodyOf(data.template)} onStored={replace} onReload={reload} />;
  }
  return (
    <>
      <Heading title={templateId} />
      <Failure error={error} onRetry={reload} />
      {error === null && <Loading rows={8} />}
    </>
  );
}

/** The purpose of each type of pass. */
const purposes: Readonly<Record<TemplateType, string>> = {
  offer: 'A coupon or a voucher, redeemed once.',
  event: 'A ticket with a date and a place.',
  generic: 'A gift card, a permit, or anything else with a value.',
  membership: 'A club or customer card with a holder.',
};

function NewTemplate() {
  const { session } = useWho();
  const [type, choose] = useState<TemplateType | null>(null);
  const [imported, take] = useState<Imported | null>(null);
  const account = useLoad('issuer', (signal) => session.api.getAccount({ signal }));
  const issuer = account.data === null ? {} : { issuerName: account.data.name };
  const starterFor = (name: TemplateType) => ({ ...starterOf(name, session.baseUrl), ...issuer });
  if (imported) return <TemplateEditor stored={null} body={imported.body} notes={imported.notes} />;
  if (type !== null) return <TemplateEditor stored={null} body={starterFor(type)} />;
  return (
    <>
      <Heading
        title="New template"
        note="Choose a type of pass, or begin with a file. You can change the type until you issue the first pass."
      />
      {account.isLoading ? (
        <Loading />
      ) : (
        <>
          <ul class="cards types">
            {types.map(([name, label]) => (
              <li key={name} class="card">
                <h2>
                  <button type="button" class="link" onClick={() => choose(name)}>
                    {label}
                  </button>
                </h2>
                <p class="muted">{purposes[name]}</p>
              </li>
            ))}
          </ul>
          <ImportField starter={starterFor('membership')} onDone={take} />
        </>
      )}
      <p>
        <a href={addressOf('templates')}>Back to the templates</a>
      </p>
    </>
  );
}
