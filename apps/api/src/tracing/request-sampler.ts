import { type Context, type Attributes, type Link, SpanKind } from '@opentelemetry/api';
import {
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  type SamplingResult,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';

/**
 * Records a share of the requests, independent of the caller's sampling flag and trace id. Records a child span if its
 * parent is recorded.
 */
export class RequestSampler implements Sampler {
  private readonly ids = new RandomIdGenerator();
  private readonly ratio: TraceIdRatioBasedSampler;
  private readonly below: ParentBasedSampler;

  /** @param share from 0 for none to 1 for all */
  constructor(share: number) {
    this.ratio = new TraceIdRatioBasedSampler(share);
    this.below = new ParentBasedSampler({ root: this.ratio });
  }

  shouldSample(
    parent: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    if (kind === SpanKind.SERVER) return this.ratio.shouldSample(parent, this.ids.generateTraceId());
    return this.below.shouldSample(parent, traceId, name, kind, attributes, links);
  }

  toString(): string {
    return `RequestSampler{${this.ratio.toString()}}`;
  }
}
