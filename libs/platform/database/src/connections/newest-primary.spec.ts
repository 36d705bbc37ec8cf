import type { History, PrimaryServer } from './server-history.js';
import { newestOf } from './newest-primary.js';

const history = (changes: Partial<History> = {}): History => ({
  cluster: 'a',
  timeline: 1,
  startedAt: '1000.5',
  ...changes,
});
const server = (host: string, itsHistory: History | null): PrimaryServer => ({
  url: `postgres://${host}/name`,
  host,
  port: 5432,
  history: itsHistory,
});

const older = server('older', history());
const newer = server('newer', history({ timeline: 2, startedAt: '2000.5' }));
const twin = server('twin', history({ timeline: 2, startedAt: '3000.5' }));
const other = server('other', history({ cluster: 'b', timeline: 3 }));
const silent = server('silent', null);
const pooler = server('pooler', newer.history);

it.each<[string, [PrimaryServer, ...PrimaryServer[]], PrimaryServer]>([
  ['the server with the highest timeline', [older, newer, silent], newer],
  ['the first of two addresses of one server', [older, pooler, newer], pooler],
  ['the first server if no server tells its history', [silent, server('mute', null)], silent],
])('newestOf returns %s', (_, servers, expected) => {
  expect(newestOf(servers, null)).toBe(expected);
});

it.each<[string, [PrimaryServer, ...PrimaryServer[]]]>([
  ['two servers of one timeline', [newer, twin]],
  ['servers of two clusters', [newer, other]],
])('newestOf rejects %s with an error that names both, unless this process has used one', (_, servers) => {
  const names = servers.map(({ host }) => `${host}:5432`).join(', ');
  for (const known of [null, older])
    expect(() => newestOf(servers, known)).toThrow(
      `Several servers accept writes, and it is not clear which one is the newest: ${names}`,
    );
  expect(servers.map((known) => newestOf(servers, known))).toEqual(servers);
});

it('newestOf returns the server that this process has used, even after a restart of that server', () => {
  const restarted = server('newer', history({ timeline: 2, startedAt: '4000.5' }));
  expect(newestOf([twin, restarted], newer)).toBe(restarted);
});
