import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { MetricsController } from './metrics.controller.js';
import { MetricsOptions } from './metrics.options.js';
import { Metrics } from './metrics.js';
import { ServiceStateRepository } from './service-state.repository.js';

/** Serves `/metrics`, and provides `Metrics`, which is told of requests. */
@Module({ providers: [Metrics, ServiceStateRepository], exports: [Metrics] })
export class MetricsModule extends rootModule(MetricsOptions, [MetricsController]) {}
