import type { AppleCertificateResponse } from '@passwright/client';
import { useId, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { base64Of } from '../model/base64.js';
import { announce } from '../ui/announcer.js';
import { Copy } from '../ui/copy.js';
import { TextField } from '../ui/field.js';
import { Failure, Form } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';

/**
 * Sets the Apple Wallet certificate: a `.p12` with its passphrase, or the `.cer` that Apple issued for the signing
 * request made on this screen.
 */
export function AppleUpload({ certificate, onDone }: { certificate: AppleCertificateResponse; onDone: () => void }) {
  const { session } = useWho();
  const [file, setFile] = useState<File | null>(null);
  const [passphrase, setPassphrase] = useState('');
  const task = useTask();
  const isBundle = file !== null && /\.(p12|pfx)$/i.test(file.name);
  const upload = async (chosen: File) => {
    const content = base64Of(new Uint8Array(await chosen.arrayBuffer()));
    const body = isBundle ? { pkcs12: content, passphrase } : { certificate: content };
    await session.api.saveAppleCertificate({ body });
    announce('Saved.');
    onDone();
  };
  const request = async () => {
    await session.api.requestAppleCertificate();
    onDone();
  };
  return (
    <details>
      <summary>Set or renew the certificate</summary>
      <Form class="stack" onSubmit={() => file && task.run(() => upload(file))}>
        <FileField label="Certificate (.cer, .pem, .p12, .pfx)" accept=".cer,.pem,.p12,.pfx" onChange={setFile} />
        {isBundle && (
          <TextField
            label="Passphrase"
            type="password"
            autoComplete="off"
            value={passphrase}
            onChange={setPassphrase}
          />
        )}
        <Failure error={task.error} />
        <div class="actions">
          <button type="submit" class="primary" disabled={file === null || task.isRunning}>
            Upload
          </button>
          <button type="button" disabled={task.isRunning} onClick={() => task.run(request)}>
            New signing request
          </button>
        </div>
        {certificate.request && (
          <p class="secret">
            <span>
              A signing request of {new Date(certificate.request.createdAt).toLocaleDateString()} waits for its
              certificate.
            </span>
            <Copy text={certificate.request.request} label="Copy the request" />
          </p>
        )}
      </Form>
    </details>
  );
}

/** Sets the Google Wallet issuer and the key file of its service account. */
export function GoogleUpload({ onDone }: { onDone: () => void }) {
  const { session } = useWho();
  const [issuerId, setIssuerId] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const task = useTask();
  const upload = async (chosen: File) => {
    const body = { issuerId, serviceAccount: await chosen.text() };
    const { check } = await session.api.saveGoogleServiceAccount({ body });
    setProblem(check.problem);
    announce('Saved.');
    onDone();
  };
  return (
    <details>
      <summary>Set the issuer</summary>
      <Form class="stack" onSubmit={() => file && task.run(() => upload(file))}>
        <TextField label="Issuer id" inputMode="numeric" value={issuerId} onChange={setIssuerId} />
        <FileField label="Key file of the service account (.json)" accept=".json" onChange={setFile} />
        <Failure error={task.error} />
        {problem !== null && <p class="notice waiting">Saved, but Google says: {problem}</p>}
        <div class="actions">
          <button type="submit" class="primary" disabled={file === null || issuerId === '' || task.isRunning}>
            Save
          </button>
        </div>
      </Form>
    </details>
  );
}

function FileField(props: { label: string; accept: string; onChange: (file: File | null) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input
        id={id}
        type="file"
        accept={props.accept}
        onChange={({ currentTarget }) => props.onChange(currentTarget.files?.[0] ?? null)}
      />
    </div>
  );
}
