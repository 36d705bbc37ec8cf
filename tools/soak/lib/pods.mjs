// Pods without a cluster: processes that the test probes, starts and ends in the same way as Kubernetes.
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceNode } from './nodes.mjs';

/** A process of the service with the probes and limits of a Kubernetes manifest. */
export class Pod {
  /** The events for which Kubernetes would have taken the pod out of service, restarted it, or killed it. */
  failures = [];
  #isReady = false;
  #over = new AbortController();

  /**
   * @param {{ environment: object, container: object, graceSeconds: number }} from the manifest
   * @param {Record<string, string>} overrides variables for this machine; an empty text removes a variable
   * @param {string} [main] the program of an earlier version
   */
  constructor({ environment, container, graceSeconds }, port, overrides, main) {
    this.container = container;
    this.graceSeconds = graceSeconds;
    this.node = new ServiceNode(port, { ...environment, ...overrides }, main);
  }

  /**
   * Starts the process and waits until it is ready, like a rollout.
   * @throws if the process ends or does not start
   */
  async start() {
    this.node.start();
    const { startupProbe, livenessProbe } = this.container;
    if (!(await this.#startsUp(startupProbe))) throw new Error(`the pod did not start: ${this.failures}`);
    void this.#probe(livenessProbe, { failed: () => this.failures.push('the liveness probe has failed') });
    await new Promise((resolve, reject) => {
      const passed = () => resolve((this.#isReady = true));
      const failed = () => this.#isReady && this.failures.push('the readiness probe has failed');
      void this.#probe(this.container.readinessProbe, { passed, failed });
      this.node.child.once('exit', () =>
        reject(new Error(`the pod has ended:\n${this.node.log.slice(-10).join('\n')}`)),
      );
    });
  }

  /**
   * Sends SIGTERM, and kills the process after the grace period.
   * @returns the seconds until the process ended
   */
  async delete() {
    const from = performance.now();
    // Stop probing, because Kubernetes does not restart a pod that it is ending.
    this.#over.abort();
    const killer = setTimeout(() => {
      this.failures.push(`killed, because it ran for ${this.graceSeconds} s after SIGTERM`);
      void this.node.kill();
    }, this.graceSeconds * 1000);
    await this.node.stop();
    clearTimeout(killer);
    if (this.node.child.exitCode !== 0) this.failures.push(`ended with ${this.node.child.exitCode}`);
    return (performance.now() - from) / 1000;
  }

  async #startsUp(probe) {
    for (let failures = 0; failures < probe.failureThreshold; failures += 1) {
      if (await this.#passes(probe)) return true;
      await pause(probe.periodSeconds * 1000);
    }
    this.failures.push('the startup probe has failed');
    return false;
  }

  async #probe(probe, { passed = () => undefined, failed }) {
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted;) {
      failures = (await this.#passes(probe)) ? 0 : failures + 1;
      if (signal.aborted) return;
      if (failures === 0) passed();
      if (failures === probe.failureThreshold) failed();
      await pause(probe.periodSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  async #passes({ httpGet, timeoutSeconds }) {
    const request = { headers: { Connection: 'close' }, signal: AbortSignal.timeout(timeoutSeconds * 1000) };
    const response = await fetch(`${this.node.url}${httpGet.path}`, request).catch(() => null);
    await response?.body?.cancel();
    return response !== null && response.status < 400;
  }
}
