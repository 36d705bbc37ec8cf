import { Registry } from 'prom-client';
import { RequestMetrics, type EndedRequest } from './request-metrics.js';

const request: EndedRequest = { method: 'GET', route: '/v1/x/:id', status: 304, durationMs: 3, aborted: false };

async function textOf(work: (metrics: RequestMetrics) => void): Promise<string> {
  const registry = new Registry();
  work(new RequestMetrics(registry));
  return registry.metrics();
}

it('RequestMetrics counts requests by method, route pattern and class of status, with durations in seconds', async () => {
  const text = await textOf((metrics) => {
    for (const status of [304, 302, 200]) metrics.ended({ ...request, status });
  });
  expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/v1/x/:id",status="3xx"} 2');
  expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/v1/x/:id",status="2xx"} 1');
  expect(text).toContain(
    'http_request_duration_seconds_bucket{le="0.0025",method="GET",route="/v1/x/:id",status="3xx"} 0',
  );
  expect(text).toContain(
    'http_request_duration_seconds_bucket{le="0.005",method="GET",route="/v1/x/:id",status="3xx"} 2',
  );
});

it('RequestMetrics counts all requests without a route in one series', async () => {
  const text = await textOf((metrics) => {
    for (const method of ['PROPFIND', 'M-SEARCH', 'PURGE']) metrics.ended({ ...request, method });
  });
  expect(text).toContain('_count{method="other",route="/v1/x/:id",status="3xx"} 3');
});

it('RequestMetrics counts running requests, and clients that disconnected', async () => {
  const text = await textOf((metrics) => {
    for (let count = 0; count < 3; count++) metrics.begun();
    metrics.ended({ ...request, aborted: true });
  });
  expect(text).toContain('http_requests_in_flight 2');
  expect(text).toContain('http_requests_aborted_total 1');
});
