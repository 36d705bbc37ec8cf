import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { announce } from '../ui/announcer.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { go } from '../ui/route.js';
import type { StoredPass } from './stored-pass.js';

type Step = 'void' | 'unvoid' | 'redeem' | 'send' | 'delete';

const steps: Record<Step, { button: string; title: string; text: string; isDangerous: boolean }> = {
  void: {
    button: 'Void',
    title: 'Void the pass?',
    text: 'Phones show it as no longer valid. You can undo this.',
    isDangerous: true,
  },
  unvoid: { button: 'Un-void', title: 'Un-void the pass?', text: 'Phones show it as valid again.', isDangerous: false },
  redeem: {
    button: 'Redeem',
    title: 'Redeem the pass?',
    text: 'This works once and cannot be undone.',
    isDangerous: false,
  },
  send: {
    button: 'Send',
    title: 'Send the pass by e-mail',
    text: 'The mail has a button to the web view.',
    isDangerous: false,
  },
  delete: {
    button: 'Delete',
    title: 'Delete the pass?',
    text: 'Its links stop working, and phones show it as void. Void it instead to keep its history.',
    isDangerous: true,
  },
};

/** Voids, redeems, sends and deletes a pass, each after the user confirms. */
export function PassActions({ stored, onDone }: { stored: StoredPass; onDone: () => void }) {
  const { session } = useWho();
  const { asked: step, task, ask, close } = useQuestion<Step>();
  const [to, setTo] = useState('');
  const { templateId, id: passId, voided, redeemedAt } = stored.passWithLinks.pass;
  const run = async (chosen: Step) => {
    const it = { templateId, passId };
    if (chosen === 'void') await session.api.voidPass(it);
    if (chosen === 'unvoid') await session.api.unvoidPass(it);
    if (chosen === 'redeem') await session.api.redeemPass(it);
    if (chosen === 'send') await session.api.sendPass({ ...it, body: { to } });
    if (chosen === 'delete') await session.api.deletePass(it);
    announce('Done.');
    ask(null);
    if (chosen === 'delete') go(addressOf('passes', templateId));
    else onDone();
  };
  const offered: Step[] = [voided ? 'unvoid' : 'void', ...(redeemedAt ? [] : (['redeem'] as const)), 'send', 'delete'];
  return (
    <>
      {offered.map((name) => (
        <button key={name} type="button" onClick={() => ask(name)}>
          {steps[name].button}
        </button>
      ))}
      {step && (
        <Dialog
          title={steps[step].title}
          action={steps[step].button}
          isDangerous={steps[step].isDangerous}
          task={task}
          onConfirm={() => task.run(() => run(step))}
          onClose={close}
        >
          <p>{steps[step].text}</p>
          {step === 'send' && <TextField label="E-mail" type="email" value={to} onChange={setTo} />}
        </Dialog>
      )}
    </>
  );
}
