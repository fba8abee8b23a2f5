// A service of the four text dialects that responds from files. The prompt selects the file, so that many requests can
// run in parallel without any setup.

import { type Recorded, recordedAnswers, TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { BASE_PATH } from '../requests/dialect-calls.ts'

export type RecordedUpstream = {
  /** Without a path: the dialects' paths follow. */
  origin: string
  /** The requests so far, newest last. */
  asked: { path: string; body: string }[]
  stop(): void
}

/** The prompt that selects this file. `seed`: splits the stream at positions derived from it. */
export const promptFor = (recorded: Recorded, seed?: number): string =>
  `Please play <<${recorded.name}>>${seed === undefined ? '' : ` in pieces <<${seed}>>`}`

const WANTED = /Please play <<([\w./-]+)>>(?: in pieces <<(\d+)>>)?/

/** A deterministic generator, so that a seed repeats a run. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

const MOST_PIECES = 40

/** The bytes in order, split anywhere: inside a character, a line, a frame. */
export function piecesOf(bytes: Buffer, seed: number): Buffer[] {
  const random = randomFrom(seed)
  const cuts = Array.from({ length: MOST_PIECES - 1 }, () => Math.floor(random() * bytes.length))
  const places = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b)
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

const isStreamPath = (path: string, body: string): boolean =>
  path.endsWith(':streamGenerateContent') || /"stream"\s*:\s*true/.test(body)

export function startRecordedUpstream(): RecordedUpstream {
  const byName = new Map(recordedAnswers().map((recorded) => [recorded.name, recorded]))
  const asked: { path: string; body: string }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const path = new URL(request.url).pathname
      const body = await request.text()
      asked.push({ path, body })
      const [, name = '', seed] = WANTED.exec(body) ?? []
      const recorded = byName.get(name)
      if (recorded === undefined) return new Response(`there is no answer called ${name}`, { status: 418 })
      const isError = recorded.status !== 200
      if (!isError && recorded.streamed !== isStreamPath(path, body)) {
        return new Response('the gateway must stream exactly when its client does', { status: 418 })
      }
      return recorded.streamed ? streamed(recorded.read(), seed) : unstreamed(recorded)
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, asked, stop: () => void server.stop(true) }
}

function unstreamed(recorded: Recorded): Response {
  return new Response(recorded.read(), { status: recorded.status, headers: { 'content-type': 'application/json' } })
}

function streamed(bytes: Buffer, seed: string | undefined): Response {
  const pieces = seed === undefined ? [bytes] : piecesOf(bytes, Number(seed))
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const piece of pieces) {
        controller.enqueue(piece)
        // Without a turn of the event loop the chunks would be sent as one.
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/**
 * A configuration with one upstream per dialect at this origin, each behind its own model: `over-chat` and so on.
 * Almost free, since recordings report up to a million tokens.
 */
export function configOfDialects(origin: string, model: string): string {
  const upstreams = TEXT_DIALECT_IDS.map(
    (id) =>
      `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: ["upstream-key"], breaker: false }`,
  )
  const price = 'price: { input: 0.001, output: 0.001 }'
  const models = TEXT_DIALECT_IDS.map(
    (id) => `  - { id: over-${id}, routes: [{ upstream: ${id}, model: ${model} }], ${price} }`,
  )
  return `upstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}\n`
}
