import type { ErasedResponse, HolderExport } from '@passwright/client';
import { useState } from 'preact/hooks';
import { AdminsOnly } from '../account/admins-only.js';
import { useWho } from '../api/current-user.js';
import { Figure } from '../messages/progress.js';
import { announce } from '../ui/announcer.js';
import { problemsIn } from '../ui/errors.js';
import { TextField } from '../ui/field.js';
import { Choice, Form, Heading, OtherProblems } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';
import { FoundHolder } from './found-holder.js';
import { type HolderName, nameOfPass } from './holder-name.js';

type By = 'email' | 'pass';
const ways = [
  ['email', 'By e-mail'],
  ['pass', 'By pass'],
] as const;

interface ScreenProps {
  /** The pass of the holder, if another screen names it. */
  readonly templateId: string | null;
  readonly passId: string | null;
}

/** Handles the request of a holder: exports or erases everything that is stored about them. */
export function HoldersScreen({ templateId, passId }: ScreenProps) {
  const { mayManage } = useWho();
  const [found, setFound] = useState<{ name: HolderName; data: HolderExport } | null>(null);
  const [erased, setErased] = useState<ErasedResponse | null>(null);
  return (
    <>
      <Heading
        title="Holders"
        note="A holder asks what is stored about them, or asks for its erasure. The audit trail records both."
      />
      {!mayManage && <AdminsOnly>Only admins of the account export and erase the data of holders.</AdminsOnly>}
      {mayManage && (
        <HolderForm
          pass={templateId === null ? '' : nameOfPass(templateId, passId ?? '')}
          onFound={(name, data) => {
            setErased(null);
            setFound({ name, data });
          }}
        />
      )}
      {found && (
        <FoundHolder
          key={found.data.exportedAt}
          {...found}
          onErased={(counts) => {
            setFound(null);
            setErased(counts);
          }}
        />
      )}
      {erased && <Erased erased={erased} />}
    </>
  );
}

interface FormProps {
  readonly pass: string;
  readonly onFound: (name: HolderName, data: HolderExport) => void;
}

function HolderForm({ pass: given, onFound }: FormProps) {
  const { session } = useWho();
  const [by, setBy] = useState<By>(given === '' ? 'email' : 'pass');
  const [email, setEmail] = useState('');
  const [pass, setPass] = useState(given);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['email', 'templateId', 'passId']);
  const find = async () => {
    const [templateId = '', passId = ''] = pass.split('/', 2).map((part) => part.trim());
    const name: HolderName = by === 'email' ? { email: email.trim() } : { templateId, passId };
    onFound(name, await session.api.exportHolder({ body: name }));
    announce('Found.');
  };
  return (
    <Form class="panel stack" aria-label="Holder" onSubmit={() => task.run(find)}>
      <Choice label="Find the holder" options={ways} value={by} onChange={setBy} />
      {by === 'email' ? (
        <TextField
          label="E-mail"
          type="email"
          hint="The address of a member, or one to which passes were sent."
          value={email}
          onChange={setEmail}
          error={at.get('email')}
        />
      ) : (
        <TextField
          label="Pass"
          placeholder="template/pass"
          hint="The id of the template, a slash, and the id of the pass."
          value={pass}
          onChange={setPass}
          error={at.get('templateId') ?? at.get('passId')}
        />
      )}
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning}>
          Show what is stored
        </button>
      </div>
    </Form>
  );
}

function Erased({ erased: { members, passes, mails, devices, images } }: { erased: ErasedResponse }) {
  return (
    <section class="stack" aria-labelledby="erased">
      <h2 id="erased">Erased</h2>
      <dl class="numbers">
        <Figure label="Members" value={members} />
        <Figure label="Passes" value={passes} />
        <Figure label="Mails" value={mails} />
        <Figure label="Devices" value={devices} />
        <Figure label="Images" value={images} />
      </dl>
      <p class="notice waiting">
        Your backups still hold the data for as long as you keep them. After a restore, erase the holder again.
      </p>
    </section>
  );
}
