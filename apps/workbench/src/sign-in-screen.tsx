import { useEffect, useState } from 'preact/hooks';
import { startAtProvider } from './api/identity-provider.js';
import type { Session } from './api/session.js';
import { messageOf, problemsIn } from './ui/errors.js';
import { TextField } from './ui/field.js';
import { Choice, Form } from './ui/parts.js';
import { useTask } from './ui/use-task.js';

type Way = 'password' | 'register' | 'key';

const ways = [
  ['password', 'Sign in'],
  ['register', 'Register'],
  ['key', 'API key'],
] as const;

interface SignInProps {
  readonly session: Session;
  readonly hasProvider: boolean;
  readonly message: string | null;
}

/** The sign-in by password, at the identity provider, or with an API key. */
export function SignInScreen({ session, hasProvider, message }: SignInProps) {
  const [way, choose] = useState<Way>('password');
  useEffect(() => document.querySelector<HTMLElement>('.sign-in input')?.focus(), []);
  return (
    <main class="sign-in">
      <div class="brand">
        <img src={`${session.baseUrl}/favicon.svg`} alt="" width="40" height="40" />
        <h1>Passwright</h1>
      </div>
      <section class="panel stack" aria-label="Sign in">
        {message !== null && (
          <p class="notice waiting" role="status">
            {message}
          </p>
        )}
        <Choice label="How to sign in" class="wide" options={ways} value={way} onChange={choose} />
        {way === 'password' && <PasswordForm session={session} />}
        {way === 'register' && <RegisterForm session={session} />}
        {way === 'key' && <KeyForm session={session} />}
        {hasProvider && way === 'password' && (
          <button type="button" onClick={() => startAtProvider(session.baseUrl, sessionStorage)}>
            Sign in with your identity provider
          </button>
        )}
      </section>
      <p class="muted small">
        The workbench uses only the public API. <a href={`${session.baseUrl}/docs`}>API reference</a> ·{' '}
        <a href={`${session.baseUrl}/`}>Start page</a>
      </p>
    </main>
  );
}

function PasswordForm({ session }: { session: Session }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const task = useTask();
  const { at } = problemsIn(task.error, ['email', 'password']);
  return (
    <Form class="stack" onSubmit={() => task.run(() => session.signIn(email, password))}>
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        error={at.get('email')}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={at.get('password')}
      />
      <Rejection error={task.error} names={['email', 'password']} />
      <button type="submit" class="primary" disabled={task.isRunning}>
        {task.isRunning ? 'Signing in …' : 'Sign in'}
      </button>
      <a href={`${session.baseUrl}/password/forgot`}>Forgotten your password?</a>
    </Form>
  );
}

const registration = ['email', 'password', 'name', 'accountName'] as const;

function RegisterForm({ session }: { session: Session }) {
  const [body, setBody] = useState({ email: '', password: '', name: '', accountName: '' });
  const task = useTask();
  const { at } = problemsIn(task.error, registration);
  const field = (name: (typeof registration)[number]) => ({
    name,
    value: body[name],
    error: at.get(name),
    onChange: (value: string) => setBody({ ...body, [name]: value }),
  });
  return (
    <Form class="stack" onSubmit={() => task.run(() => session.register(body))}>
      <TextField label="Your name" autoComplete="name" {...field('name')} />
      <TextField label="Account" hint="Your organisation" autoComplete="organization" {...field('accountName')} />
      <TextField label="E-mail" type="email" autoComplete="username" {...field('email')} />
      <TextField
        label="Password"
        type="password"
        hint="At least 8 characters"
        autoComplete="new-password"
        {...field('password')}
      />
      <Rejection error={task.error} names={registration} />
      <button type="submit" class="primary" disabled={task.isRunning}>
        {task.isRunning ? 'Registering …' : 'Register'}
      </button>
    </Form>
  );
}

function KeyForm({ session }: { session: Session }) {
  const [key, setKey] = useState('');
  const task = useTask();
  return (
    <Form class="stack" onSubmit={() => task.run(() => session.useKey(key.trim()))}>
      <TextField
        label="API key"
        type="password"
        autoComplete="off"
        value={key}
        onChange={setKey}
        hint="Kept in memory, and forgotten when you close or reload the page. The key’s scopes decide what you can do here."
      />
      <Rejection error={task.error} names={[]} />
      <button type="submit" class="primary" disabled={task.isRunning || key.trim() === ''}>
        {task.isRunning ? 'Checking …' : 'Use the key'}
      </button>
    </Form>
  );
}

/** The sentences of an error that do not concern a field. */
function Rejection({ error, names }: { error: unknown; names: readonly string[] }) {
  if (error === null) return null;
  const { at, other } = problemsIn(error, names);
  const text = other.join(' ') || (at.size > 0 ? 'Check the marked fields.' : messageOf(error));
  return (
    <p class="notice ended" role="alert">
      {text}
    </p>
  );
}
