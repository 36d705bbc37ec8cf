import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { OperatorIdentityService } from '@passwright/wallet-credentials';
import { Clock, type Counts, loggedError, onCounted } from '@passwright/core';
import { Database, DatabaseClock } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { Counter, Gauge, type GaugeConfiguration, Registry } from 'prom-client';
import { crashCounter, sumOf, workersGauge } from '../cluster/node-metrics.js';
import { primaryLink } from '../cluster/primary-link.js';
import { processMetrics } from './process-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import { ServiceStateRepository, type SharedCount } from './service-state.repository.js';

/** Provides the metrics of all processes of this node, and of the whole service, to Prometheus. */
@Injectable()
export class MetricsService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly requests: RequestMetrics;
  private readonly logger = new Logger('Metrics');
  /** The metrics of this process. A scrape adds those of all workers. */
  private readonly registry = processMetrics();
  /** The metrics of the state that all processes share. Only the process that serves a scrape reads it. */
  private readonly serviceState = new Registry();
  private readonly endCounting: () => void;
  private readonly counters = this.eventCounters();
  private readonly certificate = this.stateGauge(
    'apple_certificate_expires_seconds',
    'Seconds until the certificate for accounts without their own expires; negative after its expiry.',
    ['owner', 'development'],
  );
  private readonly certificates = this.stateGauge(
    'account_apple_certificates',
    'Certificates that accounts have uploaded, by the time left until they expire; each is counted once.',
    ['expires'],
  );
  private readonly jobs = this.stateGauge('jobs', 'Jobs in the queue of all nodes; 100000 means at least that many.', [
    'state',
  ]);
  /** The gauges of the state that all nodes share, by name. */
  private readonly shared: Readonly<Record<SharedCount, Gauge>> = {
    devicesDue: this.stateGauge(
      'apple_devices_due',
      'Devices that are due for a push; 100000 means at least that many.',
    ),
    appleCircuits: this.stateGauge(
      'apple_open_circuits',
      'Certificates that the push service rejects, and accounts whose pushes it rejects.',
    ),
    googleDue: this.stateGauge(
      'google_resources_due',
      'Classes and objects whose last change has not reached Google Wallet yet; 100000 means at least that many.',
    ),
    googleRejected: this.stateGauge(
      'google_resources_rejected',
      'Classes and objects that Google Wallet rejects; 100000 means at least that many.',
    ),
    googleCircuits: this.stateGauge('google_open_circuits', 'Service accounts that Google Wallet rejects.'),
    deliveriesDue: this.stateGauge(
      'webhook_deliveries_due',
      'Deliveries to webhooks that are due and not yet tried; 100000 means at least that many.',
    ),
    webhooksFailing: this.stateGauge('webhooks_failing', 'Webhooks whose last delivery failed.'),
  };
  private readonly up = this.stateGauge(
    'state_up',
    '1 if the database reported the state of the service at this scrape, else 0.',
  );

  constructor(
    private readonly database: Database,
    private readonly operator: OperatorIdentityService,
    private readonly state: ServiceStateRepository,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly queue: Jobs,
  ) {
    this.requests = new RequestMetrics(this.registry);
    this.endCounting = onCounted(({ name, labels }) => this.counters[name].inc({ ...labels }));
    this.watchPool();
    this.watchClock();
    crashCounter(this.registry);
    workersGauge(this.registry).set(primaryLink ? 0 : 1);
    primaryLink?.reportsFrom(() => this.registry.getMetricsAsJSON());
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /**
   * Returns the text of a scrape. Omits the database's values and sets `passwright_state_up` to 0 if the database is
   * late.
   */
  async text(): Promise<string> {
    await Promise.all([this.lookAtService(), this.lookAtOperatorCertificate()]);
    const processes = primaryLink ? sumOf(await primaryLink.metricsOfNode()) : this.registry;
    return Registry.merge([processes, this.serviceState]).metrics();
  }

  /**
   * Starts the count of each task at 0, because Prometheus would otherwise not see the first failure as an increase.
   */
  onApplicationBootstrap(): void {
    for (const task of this.queue.tasks()) this.counters.failed_jobs.inc({ task }, 0);
  }

  onApplicationShutdown(): void {
    this.endCounting();
  }

  private eventCounters(): Readonly<Record<keyof Counts, Counter>> {
    return {
      apple_pushes: this.counter('apple_pushes', 'Pushes of this node, by result.', ['outcome']),
      google_writes: this.counter('google_writes', 'Writes of this node to Google Wallet, by result.', ['outcome']),
      webhook_deliveries: this.counter(
        'webhook_deliveries',
        'Attempts of this node to deliver to webhooks, by result.',
        ['outcome'],
      ),
      replica_reads: this.counter(
        'replica_reads',
        'Reads of this node that may use a standby, by the server that they used.',
        ['server'],
      ),
      storage_failures: this.counter(
        'storage_failures',
        'Calls of this node to the image storage that failed after all attempts.',
      ),
      failed_jobs: this.counter('failed_jobs', 'Jobs that this node has given up after their last attempt.', ['task']),
    };
  }

  private watchPool(): void {
    const gauge: Gauge = this.gauge(
      'database_connections',
      'Connections of this node to the database, and requests that wait for one.',
      () => {
        for (const [state, count] of Object.entries(this.database.poolUse)) gauge.set({ state }, Number(count));
      },
      { labelNames: ['state'] },
    );
  }

  private watchClock(): void {
    const gauge: Gauge = this.gauge(
      'clock_ahead_seconds',
      "How far the clock of this node is ahead of the database's; negative when it is behind.",
      () => gauge.set(this.databaseClock.nodeAheadMs / 1000),
      { aggregator: 'first' },
    );
  }

  private async lookAtOperatorCertificate(): Promise<void> {
    const { identity } = await this.operator.current();
    this.certificate.reset();
    if (!identity) return;
    const seconds = (identity.expiresAt.getTime() - this.clock.now().getTime()) / 1000;
    this.certificate.set({ owner: 'operator', development: String(identity.development) }, seconds);
  }

  private async lookAtService(): Promise<void> {
    try {
      const { jobs, certificates, ...counts } = await this.state.read();
      for (const [state, count] of Object.entries(jobs)) this.jobs.set({ state }, Number(count));
      for (const [expires, count] of Object.entries(certificates)) this.certificates.set({ expires }, Number(count));
      for (const [name, gauge] of Object.entries(this.shared)) gauge.set(counts[name as keyof typeof counts]);
      this.up.set(1);
    } catch (error) {
      this.jobs.reset();
      this.certificates.reset();
      for (const gauge of Object.values(this.shared)) gauge.remove();
      this.up.set(0);
      this.logger.warn(`The state of the service could not be read: ${loggedError(error).message}`);
    }
  }

  private counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `passwright_${name}_total`, help, labelNames, registers: [this.registry] });
  }

  /** Registers a gauge of this process, which `collect` sets at each scrape. */
  private gauge(
    name: string,
    help: string,
    collect: () => void,
    options: Partial<Pick<GaugeConfiguration<string>, 'labelNames' | 'aggregator'>> = {},
  ): Gauge {
    return new Gauge({ name: `passwright_${name}`, help, registers: [this.registry], collect, ...options });
  }

  private stateGauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `passwright_${name}`, help, labelNames, registers: [this.serviceState] });
  }
}
