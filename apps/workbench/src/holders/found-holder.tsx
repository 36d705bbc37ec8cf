import type { ErasedResponse, HolderExport } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { announce } from '../ui/announcer.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { Download } from '../ui/download.js';
import { Empty } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { holderInWords, type HolderName } from './holder-name.js';

/**
 * The parts of an exported pass that the page shows. For a pass of another member, the export contains only the ids and
 * the mails.
 */
interface ExportedPass {
  readonly templateId: string;
  readonly id: string;
  readonly primaryValue?: string | null;
  readonly mails: readonly unknown[];
  readonly links?: object;
}

const columns: readonly Column<ExportedPass>[] = [
  {
    head: 'Pass',
    cell: ({ templateId, id, primaryValue }) => (
      <a href={addressOf('passes', templateId, id)}>{primaryValue ?? `${templateId}/${id}`}</a>
    ),
  },
  { head: 'Template', isLabelled: true, cell: ({ templateId }) => <code>{templateId}</code> },
  { head: 'Mails', isLabelled: true, cell: ({ mails }) => mails.length },
  {
    head: 'Belongs to',
    class: 'muted',
    isLabelled: true,
    cell: ({ links }) => (links === undefined ? 'another member: only the mails are exported' : 'the holder'),
  },
];

interface FoundProps {
  readonly name: HolderName;
  readonly data: HolderExport;
  readonly onErased: (erased: ErasedResponse) => void;
}

/** An overview of everything that is stored about a holder, with its export as a file and its erasure. */
export function FoundHolder({ name, data, onErased }: FoundProps) {
  const { session } = useWho();
  const { asked, task, ask, close } = useQuestion<true>();
  const who = holderInWords(name);
  const passes = data.passes as unknown as readonly ExportedPass[];
  const isEmpty = data.members.length + passes.length === 0;
  const erase = async () => {
    const erased = await session.api.eraseHolder({ body: name });
    announce('Erased.');
    onErased(erased);
  };
  const file = () =>
    new File([JSON.stringify(data, null, 2)], `${who.replaceAll('/', '-')}.json`, { type: 'application/json' });
  if (isEmpty) return <Empty title="Nothing is stored">No member, pass or mail belongs to {who}.</Empty>;
  return (
    <section class="stack" aria-labelledby="found">
      <h2 id="found">{who}</h2>
      <p>
        {data.members.length === 0 ? 'No member' : 'A member'}, and {passes.length}{' '}
        {passes.length === 1 ? 'pass' : 'passes'}. The file has everything: content, metadata, mails, messages and
        devices.
      </p>
      {passes.length > 0 && (
        <Table rows={passes} keyOf={({ templateId, id }) => `${templateId}/${id}`} columns={columns} />
      )}
      <div class="actions">
        <Download label="Download the file" make={file} />
        <button type="button" class="danger" onClick={() => ask(true)}>
          Erase everything …
        </button>
      </div>
      {asked && (
        <Dialog
          title={`Erase all data of ${who}?`}
          action="Erase"
          isDangerous
          task={task}
          onConfirm={() => task.run(erase)}
          onClose={close}
        >
          <p>
            The passes become empty and void on phones and in Google Wallet. The service deletes all that the file
            contains. This cannot be undone.
          </p>
        </Dialog>
      )}
    </section>
  );
}
