import { Forbidden, type ResponseOf } from '@passwright/client';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { SelectField, TextField } from '../ui/field.js';
import { Empty, Failure, Form, Heading, Loading } from '../ui/parts.js';
import { go } from '../ui/route.js';
import { useLoad } from '../ui/use-load.js';
import { Camera } from './camera.js';
import { Feedback } from './feedback.js';
import { ScanResult } from './scan-result.js';
import { useScans } from './use-scans.js';

type Templates = ResponseOf<'listTemplates'>['data'];

/** Checks and redeems passes: by camera, by a scanner that types, or by hand. */
export function ScanScreen({ templateId }: { templateId: string | null }) {
  const { session } = useWho();
  const templates = useLoad<Templates | null>('templates', async (signal) => {
    try {
      return (await session.api.listTemplates({ limit: 100, signal })).data.filter(({ archived }) => !archived);
    } catch (error) {
      // The API key of an entrance may lack the scope to read templates.
      if (error instanceof Forbidden) return null;
      throw error;
    }
  });
  const list = templates.data ?? [];
  const chosen = templateId ?? list[0]?.id ?? null;
  const isListed = templates.data !== null;
  return (
    <>
      <Heading title="Scan" note="Read the code of a pass, see if it is valid, and redeem it once." />
      <Offline />
      <Failure error={templates.error} onRetry={templates.reload} />
      {templates.isLoading && !isListed && <Loading />}
      {isListed && list.length === 0 && templateId === null && (
        <Empty title="No templates yet">Passes are issued from a template.</Empty>
      )}
      {isListed && list.length > 0 && (
        <SelectField
          label="Template"
          value={chosen ?? ''}
          options={optionsOf(list, templateId)}
          onChange={(id) => go(addressOf('scan', id))}
        />
      )}
      {!templates.isLoading && !isListed && templates.error === null && <TemplateId templateId={templateId} />}
      {chosen !== null && <Scanner key={chosen} templateId={chosen} />}
    </>
  );
}

/** Lists the templates to choose from, including the template in the address. */
function optionsOf(list: Templates, templateId: string | null): (readonly [string, string])[] {
  const known = list.map(({ id, title }) => [id, `${title} (${id})`] as const);
  return templateId === null || list.some(({ id }) => id === templateId) ? known : [[templateId, templateId], ...known];
}

/** The input for the id of the template, for keys that cannot list templates. */
function TemplateId({ templateId }: { templateId: string | null }) {
  const [id, setId] = useState(templateId ?? '');
  return (
    <Form class="search" onSubmit={() => id.trim() !== '' && go(addressOf('scan', id.trim()))}>
      <TextField label="Template id" hint="The key cannot list templates." value={id} onChange={setId} />
      <button type="submit">Use</button>
    </Form>
  );
}

function Scanner({ templateId }: { templateId: string }) {
  const { session } = useWho();
  const feedback = useMemo(() => new Feedback(), []);
  const scans = useScans(session, templateId, feedback);
  const [text, setText] = useState('');
  const [isFilming, film] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useRef<HTMLDivElement>(null);
  // A scanner types into the input that has the focus. While the camera reads, the keyboard of a phone would be in its way.
  const focus = () => isFilming || form.current?.querySelector('input')?.focus();
  useEffect(() => void focus(), []);
  const start = () => {
    feedback.wake();
    setProblem(null);
    if ('mediaDevices' in navigator) film(true);
    else setProblem('Browsers offer the camera only to pages that came over https.');
  };
  const then = (step: () => void) => () => {
    step();
    focus();
  };
  return (
    <div class="two scanner">
      <div class="stack" ref={form}>
        {isFilming && (
          <Camera
            onCode={scans.look}
            onReturn={scans.lookBack}
            onEnd={(said) => {
              film(false);
              setProblem(said);
            }}
          />
        )}
        <div class="actions">
          <button type="button" class="large" onClick={isFilming ? () => film(false) : start}>
            {isFilming ? 'Stop the camera' : 'Use the camera'}
          </button>
        </div>
        {problem !== null && (
          <p class="notice waiting" role="alert">
            {problem}
          </p>
        )}
        <Form
          class="search"
          onSubmit={() => {
            feedback.wake();
            scans.look(text.trim());
            setText('');
          }}
        >
          <TextField
            label="Code"
            hint="Type it, or use a scanner that types it and presses Enter."
            autoComplete="off"
            value={text}
            onChange={setText}
          />
          <button type="submit">Check</button>
        </Form>
      </div>
      {scans.scan && (
        <ScanResult scan={scans.scan} isBusy={scans.isBusy} onRedeem={then(scans.redeem)} onNext={then(scans.clear)} />
      )}
    </div>
  );
}

function Offline() {
  const [isOffline, setOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const change = () => setOffline(!navigator.onLine);
    addEventListener('online', change);
    addEventListener('offline', change);
    return () => {
      removeEventListener('online', change);
      removeEventListener('offline', change);
    };
  }, []);
  if (!isOffline) return null;
  return (
    <p class="notice ended" role="alert">
      You are offline. Codes cannot be checked, because only the service knows which passes were redeemed.
    </p>
  );
}
