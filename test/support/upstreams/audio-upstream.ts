// An upstream of transcriptions, by whose models it answers in different ways.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const TOKENS = {
  type: 'tokens',
  input_tokens: 40,
  input_token_details: { audio_tokens: 30, text_tokens: 10 },
  output_tokens: 5,
  total_tokens: 45,
}
const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`)
export const delta = (text: string) => ({ type: 'transcript.text.delta', delta: text })
const done = { type: 'transcript.text.done', text: 'Hello world', usage: TOKENS }

const CUT = new Error('cut')
function streamed(parts: readonly string[], ends = true): Response {
  const body = new ReadableStream({
    async start(controller) {
      for (const part of parts) {
        controller.enqueue(part)
        await Bun.sleep(5)
      }
      if (ends) controller.close()
      else controller.error(CUT)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const REPLIES: Record<string, (stream: boolean) => Response | Promise<Response>> = {
  plain: () => Response.json({ text: 'Hello' }),
  seconds: () => Response.json({ text: 'Hello', usage: { type: 'duration', seconds: 9 } }),
  verbose: () => Response.json({ text: 'Hello', duration: '8.4701', segments: [] }),
  'my-whisper': () =>
    Response.json({
      text: 'Hello --> world',
      duration: 3_723.5,
      segments: [
        { start: 0, end: 1.25, text: ' Hello -->' },
        { start: 3_722, end: 3_723.5, text: ' world' },
      ],
    }),
  absurd: () => Response.json({ text: 'Hello', usage: { type: 'duration', seconds: -4 } }),
  days: () => Response.json({ text: 'Hello', usage: { type: 'duration', seconds: 900_000 } }),
  tokens: (stream) =>
    stream ? streamed(sse(delta('Hello'), delta(' world'), done)) : Response.json({ text: 'Hello', usage: TOKENS }),
  cut: () => streamed(sse(delta('Hello')), false),
  'cut-early': () => streamed([': wait\n\n'], false),
  'error-event': () => streamed(sse(delta('Hello'), { error: { message: 'out of memory', type: 'server_error' } })),
  texts: () => streamed(sse({ text: 'Hello' }, { text: ' world' })),
  mistral: () =>
    streamed(
      sse(
        { type: 'transcription.text.delta', text: 'Hello' },
        { type: 'transcription.text.delta', text: ' world' },
        { type: 'transcription.done', text: 'Hello world', usage: { prompt_audio_seconds: 9, prompt_tokens: 4 } },
      ),
    ),
  busy: () => Response.json({ error: { message: 'busy' } }, { status: 503 }),
  broken: () => Response.json({ error: { message: 'broken' } }, { status: 500 }),
  rejected: () => Response.json({ error: { message: 'Audio too short', param: 'file' } }, { status: 400 }),
  page: () => new Response('<p>hello</p>', { headers: { 'content-type': 'text/html' } }),
  'no-text': () => Response.json({ transcript: 'Hello' }),
}

type GeminiRequest = {
  contents: { parts: [{ inlineData: { mimeType: string; data: string } }, { text: string }] }[]
  generationConfig: { temperature?: number }
}
/** What the upstream got last. */
type Sent = { path: string; fields: [string, unknown][]; json?: GeminiRequest; key: string | null }
const USAGE_METADATA = {
  promptTokenCount: 140,
  candidatesTokenCount: 6,
  totalTokenCount: 146,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 40 },
    { modality: 'AUDIO', tokenCount: 100 },
  ],
}

function gemini(path: string): Response {
  const chunk = (text: string, more = {}) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, ...more }],
  })
  const end = { finishReason: 'STOP', index: 0 }
  if (path.includes('blocked')) return Response.json({ promptFeedback: { blockReason: 'SAFETY' } })
  if (!path.includes('streamGenerateContent'))
    return Response.json({ ...chunk('Hello world\n', end), usageMetadata: USAGE_METADATA })
  return streamed(sse(chunk('Hello'), { ...chunk(' world', end), usageMetadata: USAGE_METADATA }))
}

export type AudioUpstream = ReturnType<typeof startAudioUpstream>

/** The model `gated` answers when `gate` is resolved. */
export function startAudioUpstream() {
  const state = { calls: 0, sent: undefined as Sent | undefined, gate: Promise.withResolvers<void>() }

  async function answer(request: Request): Promise<Response> {
    state.calls++
    const { pathname: path } = new URL(request.url)
    if (path.startsWith('/v1beta')) {
      const json = (await request.json()) as GeminiRequest
      state.sent = { path, fields: [], json, key: request.headers.get('x-goog-api-key') }
      return gemini(path)
    }
    const form = await request.formData()
    const fields = [...form].map(([name, value]): [string, unknown] => [
      name,
      value instanceof Blob ? { name: (value as File).name, type: value.type, bytes: value.size } : value,
    ])
    state.sent = { path, fields, key: request.headers.get('authorization') }
    const model = String(form.get('model'))
    if (model === 'gated') await state.gate.promise
    const reply = REPLIES[model === 'gated' ? 'plain' : model]
    return reply?.(form.get('stream') === 'true') ?? new Response('', { status: 404 })
  }

  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await Array.fromAsync(incoming))
    const { method = '', headers, url } = incoming
    const request = new Request(`http://upstream${url}`, { method, headers: headers as Record<string, string>, body })
    const response = await answer(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    try {
      for await (const piece of response.body ?? []) outgoing.write(piece)
      outgoing.end()
    } catch {
      outgoing.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  const { port } = server.address() as AddressInfo
  return Object.assign(state, { origin: `http://127.0.0.1:${port}`, stop: () => server.close() })
}
