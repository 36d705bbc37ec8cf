const MAX_BYTES = 2 ** 20;

/** Runs `fetch`, and fails if the response exceeds 1 MiB. Metadata, keys and tokens are far smaller. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body, status, statusText, headers } = response;
  return body ? new Response(body.pipeThrough(limit()), { status, statusText, headers }) : response;
}

function limit(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) controller.error(new Error(`The response is larger than ${MAX_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
