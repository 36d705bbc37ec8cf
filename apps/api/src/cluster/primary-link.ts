import cluster from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { NotReady } from '@passwright/core';
import { type PrimaryMessage, type ProcessMetrics, WORKER_ARGUMENT, type WorkerMessage } from './cluster-messages.js';

/** The time limit of a scrape. The primary waits only one second for its workers, so it is stuck if it takes longer. */
const SCRAPE_MS = 3000;
const LEAVE_MS = 1000;
/** The error codes for messages to a primary that has ended, including messages that Node itself sends. */
const CLOSED = ['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED'];

/** Stops this worker. `isReplaced` means that another worker has replaced it, so the node keeps running. */
type Stop = (reason: string, options: { readonly isReplaced: boolean }) => void;

/** The connection of a worker to its primary. */
class PrimaryLink {
  private readonly received = new EventEmitter();
  private scrapes = 0;
  private report: () => Promise<ProcessMetrics> = () => Promise.resolve([]);
  /** Null until this process is ready. */
  private stop: Stop | null = null;
  private isWaiting = false;

  constructor() {
    // Otherwise Node would end this process together with the primary, even during requests and jobs.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    process.once('disconnect', () => this.primaryEnded());
    process.on('error', (error: NodeJS.ErrnoException) => {
      if (!CLOSED.includes(error.code ?? '')) throw error;
      this.primaryEnded();
    });
    // Ignore SIGHUP, which a closing terminal sends to all processes, because only the primary restarts workers.
    process.on('SIGHUP', () => undefined);
    process.on('message', (message: PrimaryMessage) => {
      if (message.type === 'report') void this.sendMetrics();
      else if (message.type === 'ping') this.pinged();
      else this.received.emit(message.type === 'scraped' ? `scraped ${message.id}` : message.type, message);
    });
  }

  /** Notifies the primary that this process serves the port. The primary can then call `stop`. */
  ready(port: number, stop: Stop): void {
    this.stop = stop;
    this.received.once('stop', ({ reason, isReplaced }: PrimaryMessage & { type: 'stop' }) =>
      stop(reason, { isReplaced }),
    );
    if (!process.connected) return this.primaryEnded();
    this.send({ type: 'ready', port });
  }

  /**
   * Notes that this process begins or ends to wait for its database. The primary limits the time that a start takes, but
   * not that of a wait.
   */
  waits(isWaiting: boolean): void {
    this.isWaiting = isWaiting;
  }

  /** Sets the function that returns the metrics of this process. */
  reportsFrom(report: () => Promise<ProcessMetrics>): void {
    this.report = report;
  }

  /** Collects the metrics of all processes of the node. @throws NotReady if the primary does not respond */
  async metricsOfNode(): Promise<readonly ProcessMetrics[]> {
    const id = (this.scrapes += 1);
    this.send({ type: 'scrape', id });
    try {
      const [{ processes }] = (await once(this.received, `scraped ${id}`, {
        signal: AbortSignal.timeout(SCRAPE_MS),
      })) as [PrimaryMessage & { type: 'scraped' }];
      return processes;
    } catch {
      throw new NotReady('The metrics of the other workers of this node could not be collected.');
    }
  }

  /**
   * Detaches this process from the primary. Sends the last metrics, and returns connections that the primary has
   * already handed over, because the port is closed.
   */
  async leave(): Promise<void> {
    await this.sendMetrics();
    const left = once(this.received, 'left', { signal: AbortSignal.timeout(LEAVE_MS) });
    this.send({ type: 'leave' });
    // If the primary does not respond, it has ended, and so have its connections.
    await left.catch(() => undefined);
  }

  /** Stops this process after its primary has ended, because nothing else would stop it. */
  private primaryEnded(): void {
    if (!this.stop) process.exit(1);
    this.stop('the process that started it has ended', { isReplaced: false });
  }

  private pinged(): void {
    if (this.stop || this.isWaiting) this.send({ type: 'pong' });
  }

  private async sendMetrics(): Promise<void> {
    this.send({ type: 'metrics', metrics: await this.report() });
  }

  private send(message: WorkerMessage): void {
    if (process.connected) process.send?.(message);
  }
}

/** The link of this process to its primary. Null if the process serves alone, or is a worker of another program. */
export const primaryLink = cluster.isWorker && process.argv.includes(WORKER_ARGUMENT) ? new PrimaryLink() : null;
