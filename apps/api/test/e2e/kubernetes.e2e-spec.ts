import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { REQUESTS_STOP_MS } from '@passwright/http';
import { JOB_CONNECTIONS } from '@passwright/jobs';
import { load, loadAll } from 'js-yaml';
import { workerLimits } from '../../src/cluster/worker-limits.js';
import { type AppConfig, loadConfig } from '../../src/config/config.js';
import { ConfigInvalid } from '../../src/config/config-validation.js';
import { variables } from '../../src/config/variables/variables.js';
import { runOperator } from '../../src/operator/operator-program.js';
import { RunningService } from '../support/running-service.js';

/* Compares the manifests in docker/kubernetes with the service and the image that they run, without a cluster. */

const root = join(__dirname, '../../../..');
const folder = join(root, 'docker/kubernetes');
/** The connections that Postgres reserves for superusers. */
const RESERVED_CONNECTIONS = 3;
/** The connections of a process outside of its pool: one for readiness, and those for jobs. */
const OTHERS = { api: 1, worker: 1 + JOB_CONNECTIONS };
/** The connections of a migration: one for its lock, and two for the schema of the queue. */
const MIGRATION_CONNECTIONS = 3;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- resources of many kinds, read as they are written
type Resource = any;
type Variables = Record<string, string | undefined>;

const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const resources: Resource[] = ['base', 'example'].flatMap((name) =>
  readdirSync(join(folder, name))
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .flatMap((file) => loadAll(read(`${name}/${file}`))),
);
const ofKind = (kind: string) => resources.filter((resource) => resource.kind === kind);
const deployments = ofKind('Deployment');
const templates = [...deployments, ...ofKind('Job')].map(({ metadata, spec }) => [metadata.name, spec.template]);
const deployment = (name: string) => deployments.find(({ metadata }) => metadata.name === name);
const containerOf = ({ spec }: Resource) => spec.template.spec.containers[0];
const dockerfile = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
const document = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright kubernetes '));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const secrets: Variables = {
  DATABASE_URL: 'postgres://passwright:secret@db.example.com/passwright',
  ACCESS_TOKEN_SECRET: 'a'.repeat(32),
  PASS_TOKEN_SECRET: 'b'.repeat(32),
  MASTER_KEYS: `1:${Buffer.alloc(32, 7).toString('base64')}`,
};

/** Returns the variables of a container in the example. */
function environmentOf({ env = [] }: Resource, given = secrets): Variables {
  const written = env.map(({ name, value }: { name: string; value: string }) => [name, value]);
  const [base, example] = ['base/config.env', 'example/config.env'].map((path) => parseEnv(read(path)));
  return { ...base, ...example, ...given, ...Object.fromEntries(written), NODE_ENV: 'production', DATA_DIR: dataDir };
}

const configOf = (name: string): AppConfig => loadConfig(environmentOf(containerOf(deployment(name))));

/** Returns true if a selector chooses a pod with these labels. */
const selects = (selector: object, labels: Variables) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

describe('variables', () => {
  it('every variable in the manifests is a variable of the service', () => {
    const files = ['base/config.env', 'example/config.env', 'example/secrets.env'].map((path) => parseEnv(read(path)));
    const named = [
      ...files.flatMap((file) => Object.keys(file)),
      ...templates.flatMap(([, { spec }]) => spec.containers[0].env ?? []).map(({ name }) => name),
    ];
    expect(named.filter((name) => !(name in variables))).toEqual([]);
    expect(named).toContain('SHUTDOWN_DELAY_SECONDS');
  });

  it('the service accepts the values in the manifests, and the name of each deployment matches its role', () => {
    for (const role of ['api', 'worker']) {
      expect(configOf(`passwright-${role}`)).toMatchObject({
        role,
        workers: 1,
        server: { host: '0.0.0.0', port: 3000, baseUrl: 'https://passes.example.com' },
        storage: { store: { kind: 's3', bucket: 'passwright-images' } },
      });
    }
  });

  it('a pod with the empty secrets of the example does not start, and its log names the secrets', () => {
    const start = () =>
      loadConfig(environmentOf(containerOf(deployment('passwright-api')), parseEnv(read('example/secrets.env'))));
    expect(start).toThrow(ConfigInvalid);
    for (const name of ['ACCESS_TOKEN_SECRET', 'PASS_TOKEN_SECRET', 'MASTER_KEYS']) expect(start).toThrow(name);
  });

  it('docs/kubernetes.md states the number of connections during an upgrade, and a sufficient max_connections', () => {
    const perPod = (role: 'api' | 'worker') => configOf(`passwright-${role}`).database.poolSize + OTHERS[role];
    const workers = deployment('passwright-worker').spec.replicas;
    // A Deployment does not count ending pods, so all old pods may still run beside the new ones.
    const most = (nodes: number) => 2 * (nodes * perPod('api') + workers * perPod('worker')) + MIGRATION_CONNECTIONS;
    const [base, example] = [
      deployment('passwright-api').spec.replicas,
      ofKind('HorizontalPodAutoscaler')[0].spec.maxReplicas,
    ];
    const stated = /base then opens up to (\d+), and the example (\d+)\. Set `max_connections` to (\d+) or (\d+)/;
    const [, ...figures] = (stated.exec(document) ?? []).map(Number);
    expect(figures.slice(0, 2)).toEqual([base, example].map(most));
    for (const [at, count] of [base, example].map(most).entries())
      expect(figures[at + 2]).toBeGreaterThanOrEqual(count + RESERVED_CONNECTIONS);
    expect(read('example/autoscaler.yaml')).toContain(`max_connections of Postgres to ${figures[3]}`);
  });
});

describe('probes, commands and time limits', () => {
  it('a node responds to the path of every probe on the port of the container', async () => {
    const service = await RunningService.start();
    try {
      for (const each of deployments) {
        const { ports, ...container } = containerOf(each);
        expect(ports).toEqual([{ name: 'http', containerPort: configOf(each.metadata.name).server.port }]);
        for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
          const { path, port } = container[kind].httpGet;
          expect([kind, port, (await service.request('GET', path)).status]).toEqual([kind, 'http', 200]);
        }
      }
    } finally {
      await service.stop();
    }
    expect(ofKind('Service').map(({ spec }) => spec.ports[0].targetPort)).toEqual(['http']);
  });

  it('the readiness probe allows the time that its check takes; the other probes use only /health/live', () => {
    for (const { readinessProbe, livenessProbe, startupProbe } of deployments.map(containerOf)) {
      expect(readinessProbe).toMatchObject({ httpGet: { path: '/health/ready' } });
      expect(readinessProbe.timeoutSeconds).toBeGreaterThan(3);
      for (const { httpGet } of [livenessProbe, startupProbe]) expect(httpGet.path).toBe('/health/live');
    }
  });

  it("the migration runs an existing operator command, and the deployments run the image's default command", async () => {
    const [node, file, ...words] = ofKind('Job')[0].spec.template.spec.containers[0].command;
    expect([node, file]).toEqual(['node', 'apps/api/dist/operator.js']);
    expect(existsSync(join(root, 'apps/api/src/operator.ts'))).toBe(true);
    let help = '';
    const code = await runOperator([...words, '--help'], {}, (text) => (help += text), String);
    expect([code, help]).toEqual([0, expect.stringMatching(/Usage: operator migrate/)]);
    expect(deployments.map((each) => containerOf(each).command)).toEqual([undefined, undefined]);
  });

  it('the grace period of a pod is longer than the longest stop of the service', () => {
    for (const { metadata, spec } of deployments) {
      const { server } = configOf(metadata.name);
      const { leaveMs, stopMs } = workerLimits([], server);
      // The rest of a stop: closing idle connections (5 s), ending jobs (5 s) and sending the last traces (2 s).
      expect(leaveMs).toBeGreaterThanOrEqual(server.requestsStopMs + 12_000);
      expect(server.requestsStopMs).toBe(REQUESTS_STOP_MS);
      expect(spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(stopMs);
    }
    expect(configOf('passwright-api').server.shutdownDelayMs).toBeGreaterThanOrEqual(5000);
    const [, seconds] = /stop_grace_period: (\d+)s/.exec(readFileSync(join(root, 'docker/compose.yaml'), 'utf8')) ?? [];
    const { server } = loadConfig({ ...secrets, NODE_ENV: 'production', DATA_DIR: dataDir });
    expect(Number(seconds) * 1000).toBeGreaterThan(workerLimits([], server).stopMs);
    const hasty = loadConfig({ DATA_DIR: dataDir, SHUTDOWN_REQUEST_SECONDS: '30' });
    expect([hasty.http.stopWithinMs, workerLimits([], hasty.server).stopMs]).toEqual([30_000, 45_000]);
  });

  it('each pasted command runs only if the previous one succeeded, so pods are not replaced after a failed migration', () => {
    const [block = ''] = /^kubectl create namespace[^]*?```/m.exec(document) ?? [];
    const lines = block.trimEnd().split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.slice(0, -1).filter((line) => !line.endsWith(' &&'))).toEqual([]);
    const order = ['delete job', 'apply -k', 'wait', 'apply -k', 'rollout status', 'rollout status', 'exec'];
    expect(
      lines.slice(1).map((line) => /kubectl (delete job|apply -k|wait|rollout status|exec)/.exec(line)?.[1]),
    ).toEqual(order);
  });
});

describe('pods', () => {
  it("each pod runs as the image's unprivileged user, and writes only to its own folders", () => {
    for (const [name, { spec }] of templates) {
      const [container] = spec.containers;
      expect([name, spec.securityContext, container.securityContext]).toEqual([
        name,
        expect.objectContaining({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } }),
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      ]);
      expect(container.volumeMounts.map(({ mountPath }: Resource) => mountPath)).toEqual(['/data', '/tmp']);
      expect(Object.keys(container.resources)).toEqual(['requests', 'limits']);
    }
    expect(dockerfile).toMatch(/DATA_DIR=\/data\b/);
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  it('every selector chooses the pods of one kind', () => {
    const chosen = (selector: object) =>
      templates.filter(([, { metadata }]) => selects(selector, metadata.labels)).map(([name]) => name);
    for (const { metadata, spec } of deployments) {
      expect(chosen(spec.selector.matchLabels)).toEqual([metadata.name]);
      const spreads: Resource[] = spec.template.spec.topologySpreadConstraints;
      expect(spreads.map(({ topologyKey }) => topologyKey)).toEqual([
        'topology.kubernetes.io/zone',
        'kubernetes.io/hostname',
      ]);
      for (const { labelSelector } of spreads) expect(chosen(labelSelector.matchLabels)).toEqual([metadata.name]);
    }
    for (const { metadata, spec } of ofKind('PodDisruptionBudget'))
      expect(chosen(spec.selector.matchLabels)).toEqual([metadata.name]);
    expect(ofKind('PodDisruptionBudget')).toHaveLength(deployments.length);
    expect(ofKind('Service').map(({ spec }) => chosen(spec.selector))).toEqual([['passwright-api']]);
    expect(ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name)).toEqual(['passwright-api']);
  });

  it('a pod can be reached only through the port of the service', () => {
    const policies = ofKind('NetworkPolicy');
    for (const [name, { spec: pod }] of templates) {
      const own = policies.filter(({ metadata }) => metadata.name === name);
      expect(own).toHaveLength(1);
      const [{ spec }] = own;
      expect(templates.filter(([, { metadata }]) => selects(spec.podSelector.matchLabels, metadata.labels))).toEqual([
        [name, expect.anything()],
      ]);
      const ports = pod.containers[0].ports?.map(({ name: port }: Resource) => ({ port }));
      expect([spec.policyTypes, spec.ingress]).toEqual([['Ingress'], ports && [{ ports }]]);
    }
    expect(policies).toHaveLength(templates.length);
  });

  it('the example does not set the number of pods, because that would override the autoscaler', () => {
    const { patches } = load(read('example/kustomization.yaml')) as Resource;
    const removed = patches.filter(({ patch }: Resource) => patch.includes('op: remove, path: /spec/replicas'));
    expect(removed.map(({ target }: Resource) => target)).toEqual(
      ofKind('HorizontalPodAutoscaler').map(({ spec: { scaleTargetRef } }) => ({
        kind: 'Deployment',
        name: scaleTargetRef.name,
      })),
    );
  });

  it('a pod that serves requests ends only after its successor is ready', () => {
    expect(deployment('passwright-api').spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(deployment('passwright-api').spec.replicas).toBeGreaterThan(1);
  });
});

describe('the printed output of kubectl', () => {
  const isInstalled = spawnSync('kubectl', ['version', '--client']).status === 0;
  if (!isInstalled) process.stderr.write('kubectl is not installed: nothing renders the manifests.\n');

  (isInstalled ? it : it.skip)('the example has an image with a version, and every name leads to a resource', () => {
    const { stdout, stderr } = spawnSync('kubectl', ['kustomize', join(folder, 'example')], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const rendered: Resource[] = loadAll(stdout);
    expect(rendered.map(({ kind }) => kind).sort()).toEqual(
      [...resources.map(({ kind }) => kind), 'ConfigMap', 'Secret'].sort(),
    );
    const names = new Set(rendered.map(({ kind, metadata }) => `${kind} ${metadata.name} in ${metadata.namespace}`));
    const pods = rendered.flatMap(({ spec }) => spec?.template?.spec ?? []);
    expect(pods).toHaveLength(templates.length);
    for (const { containers, serviceAccountName } of pods) {
      expect(containers[0].image).toMatch(/^registry\.example\.com\/passwright:\d/);
      const [config, secret] = containers[0].envFrom;
      expect([...names]).toEqual(
        expect.arrayContaining([
          `ConfigMap ${config.configMapRef.name} in passwright`,
          `Secret ${secret.secretRef.name} in passwright`,
          `ServiceAccount ${serviceAccountName} in passwright`,
        ]),
      );
    }
    const scaled = ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name);
    for (const { kind, metadata, spec } of rendered)
      if (kind === 'Deployment') expect('replicas' in spec).toBe(!scaled.includes(metadata.name));
  });
});

describe('the routes from outside the cluster', () => {
  it('each route belongs to a listener, and leads to the port of the service or to https', () => {
    const [gateway] = ofKind('Gateway');
    const [{ metadata, spec }] = ofKind('Service');
    const host = new URL(String(environmentOf({}).BASE_URL)).host;
    const routes = ofKind('HTTPRoute').map((route) => {
      const [{ name, sectionName }] = route.spec.parentRefs;
      const listener = gateway.spec.listeners.find((each: Resource) => each.name === sectionName);
      expect([name, listener.hostname, ...route.spec.hostnames]).toEqual([gateway.metadata.name, host, host]);
      const [{ backendRefs, filters }] = route.spec.rules;
      return [listener.protocol, backendRefs?.[0] ?? filters[0].requestRedirect];
    });
    expect(routes).toEqual([
      ['HTTPS', { name: metadata.name, port: spec.ports[0].port }],
      ['HTTP', { scheme: 'https', statusCode: 301 }],
    ]);
  });
});
