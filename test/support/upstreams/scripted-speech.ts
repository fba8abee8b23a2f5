// An upstream that speaks by the name of its model: PCM of one second at 24 kHz, as bytes, as events, or as generateContent has it.

type Json = Record<string, unknown>
export type ScriptedSpeech = {
  url: string
  /** The bodies of requests. */
  calls: Json[]
  /** Resolves with a request for `waiting`. Set anew to wait for the next one. */
  arrived: PromiseWithResolvers<void>
  /** Lets `slow` end, and `waiting` begin. */
  finish(): void
  stopEndless(): void
  stop(): Promise<void>
}

const SECOND = Buffer.from(Int16Array.from({ length: 24_000 }, (_, at) => Math.round(9_000 * Math.sin(at / 9))).buffer)
const HALVES = [SECOND.subarray(0, 20_000), SECOND.subarray(20_000)]
const sse = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const deltas = HALVES.map((half) => ({ type: 'speech.audio.delta', audio: half.toString('base64') }))
const DONE = { type: 'speech.audio.done', usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 } }
const EVENTS = { headers: { 'content-type': 'text/event-stream' } }
const ERROR = { error: { message: 'The model is overloaded.', type: 'server_error', code: 'server_overloaded' } }

export function startScriptedSpeech(): ScriptedSpeech {
  const calls: Json[] = []
  let slow = Promise.withResolvers<void>()
  let isEndless = true
  const speech: Omit<ScriptedSpeech, 'url' | 'stop'> = {
    calls,
    arrived: Promise.withResolvers<void>(),
    finish() {
      slow.resolve()
      slow = Promise.withResolvers()
    },
    stopEndless() {
      isEndless = false
    },
  }
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Json
      calls.push(body)
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/v1beta')) return content(pathname)
      return bytes(String(body.model), body)
    },
  })

  async function bytes(model: string, { stream_format, response_format }: Json): Promise<Response> {
    if (model === 'busy') return Response.json({ error: { message: 'busy' } }, { status: 503 })
    if (model === 'broken') return Response.json({ error: { message: 'broken' } }, { status: 500 })
    if (model === 'html') return new Response('<p>hello', { headers: { 'content-type': 'text/html' } })
    if (model === 'error-event') return new Response(sse([ERROR]), EVENTS)
    if (model === 'cut') return new Response(sse([...deltas.slice(0, 1), ERROR]), EVENTS)
    if (model === 'waiting') {
      speech.arrived.resolve()
      await slow.promise
      return new Response(SECOND)
    }
    if (model === 'slow') return new Response(slowly(), { headers: { 'content-type': 'audio/pcm' } })
    if (model === 'endless') return new Response(endless(), { headers: { 'content-type': 'audio/pcm' } })
    if (stream_format === 'sse' && model !== 'no-events') return new Response(sse([...deltas, DONE]), EVENTS)
    const isFlac = response_format === 'flac'
    return new Response(isFlac ? Buffer.from(`fLaC\x81${'x'.repeat(100)}`) : SECOND, {
      headers:
        response_format === 'pcm' ? { 'content-type': 'audio/pcm;rate=24000' } : { 'content-type': 'audio/mpeg' },
    })
  }

  function slowly(): ReadableStream<Uint8Array> {
    let isOver = false
    void slow.promise.then(() => {
      isOver = true
    })
    return new ReadableStream({
      async start(controller) {
        for (; !isOver; await Bun.sleep(5)) controller.enqueue(new Uint8Array(1_000))
        controller.close()
      },
    })
  }

  const endless = () =>
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(new Uint8Array(64 * 1024))
        if (!isEndless) controller.close()
      },
    })

  function content(pathname: string): Response {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }
    if (pathname.endsWith('/blocked:generateContent')) return Response.json(blocked)
    if (pathname.includes('/blocked:')) return new Response(sse([blocked]), EVENTS)
    const mimeType = 'audio/L16;codec=pcm;rate=24000'
    const chunks = HALVES.map((half) => ({
      candidates: [
        { content: { role: 'model', parts: [{ inlineData: { mimeType, data: half.toString('base64') } }] } },
      ],
      usageMetadata: { promptTokenCount: 7 },
    }))
    const modality = { modality: 'AUDIO', tokenCount: 25 }
    const counts = { promptTokenCount: 7, candidatesTokenCount: 25, totalTokenCount: 32 }
    const usageMetadata = { ...counts, candidatesTokensDetails: [modality] }
    if (pathname.endsWith(':generateContent')) {
      const part = { inlineData: { mimeType, data: Buffer.concat(HALVES).toString('base64') } }
      return Response.json({ candidates: [{ content: { role: 'model', parts: [part] } }], usageMetadata })
    }
    return new Response(sse([...chunks, { candidates: [{ finishReason: 'STOP' }], usageMetadata }]), EVENTS)
  }

  return {
    ...speech,
    get arrived() {
      return speech.arrived
    },
    set arrived(next) {
      speech.arrived = next
    },
    url: `http://127.0.0.1:${server.port}`,
    stop: () => server.stop(true),
  }
}
