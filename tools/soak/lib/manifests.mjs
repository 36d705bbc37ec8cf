// The Kubernetes manifests of docker/kubernetes/example as kubectl renders them.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { loadAll } = createRequire(new URL('../../../apps/api/package.json', import.meta.url))('js-yaml');
const folder = fileURLToPath(new URL('../../../docker/kubernetes/example', import.meta.url));

export function hasKubectl() {
  return spawnSync('kubectl', ['version', '--client']).status === 0;
}

/** @returns every resource of the example. @throws if kubectl rejects a file */
export function renderManifests() {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
  return loadAll(stdout);
}

/** Returns the parts of a deployment that define its pods: variables without secrets, probes and time limits. */
export function podOf(resources, deploymentName) {
  const named = (kind, name) => resources.find((each) => each.kind === kind && each.metadata.name === name);
  const { spec } = named('Deployment', deploymentName).spec.template;
  const [container] = spec.containers;
  const maps = container.envFrom.flatMap(({ configMapRef }) => configMapRef ?? []);
  return {
    environment: {
      ...Object.assign({}, ...maps.map(({ name }) => named('ConfigMap', name).data)),
      ...Object.fromEntries(container.env.map(({ name, value }) => [name, value])),
    },
    container,
    graceSeconds: spec.terminationGracePeriodSeconds,
  };
}
