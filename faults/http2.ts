// Upstreams over HTTP/2 that stall, reset a stream, or go away, before and after output.
import { readFileSync } from 'node:fs'
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { join } from 'node:path'
import type { Answer } from './answer.ts'
import { both, brokenOff, completed, type Expected, type Fault, rejected } from './fault.ts'
import type { FaultProxy } from './wire.ts'

const FIXTURES = join(import.meta.dir, '../packages/gateway/fixtures')
/** The certificate authority of these upstreams. */
export const AUTHORITY = join(FIXTURES, 'localhost.cert.pem')

const INTERNAL_ERROR = 2

const HOW = {
  stall: { end: (_: ServerHttp2Stream) => {}, outcome: 'timeout', status: 504 },
  // `close` would end the stream before it resets it.
  reset: { end: (stream: ServerHttp2Stream) => stream.destroy(new Error('reset')), outcome: 'cut', status: 502 },
  goaway: { end: goAway, outcome: 'cut', status: 502 },
} as const

function goAway({ session, id = 0 }: ServerHttp2Stream): void {
  session?.goaway(INTERNAL_ERROR, id)
  session?.destroy()
}

type Way = keyof typeof HOW
/** How much of the response is sent before: half of it, its headers only, or nothing. */
type Part = 'nothing' | 'headers' | 'output' | 'all'
type Play = { how: Way | 'end'; part: Part }

const plays = new Map<string, Play>()

function fault(name: string, expected: Pick<Fault, 'streamed' | 'single'>, play: Play): Fault {
  plays.set(name, play)
  const { how, part } = play
  return {
    name,
    at: 'http2',
    ...expected,
    ...(how === 'stall' ? { timeouts: 'short' } : {}),
    // One call at a time: all of them share a connection, and go with it.
    ...(how === 'goaway' ? { heavy: true } : {}),
    ...(part === 'output' ? {} : { fullRunOnly: true }),
  }
}

export const HTTP2: readonly Fault[] = [
  fault('http2', both(completed), { how: 'end', part: 'all' }),
  ...(Object.keys(HOW) as Way[]).flatMap((how) => {
    const { outcome, status } = HOW[how]
    const early: Expected = rejected(status, outcome === 'timeout' ? outcome : 'failed')
    const late: Expected = rejected(status, outcome)
    return [
      fault(`http2-${how}`, both(early), { how, part: 'nothing' }),
      fault(`http2-${how}-after-headers`, both(late), { how, part: 'headers' }),
      fault(`http2-${how}-after-output`, { streamed: brokenOff(outcome), single: late }, { how, part: 'output' }),
    ]
  }),
]

/** One server for each of these faults, since a connection is shared by all calls to an address. */
export async function startHttp2(proxy: FaultProxy, all: readonly Fault[]) {
  const [cert, key] = ['cert', 'key'].map((part) => readFileSync(join(FIXTURES, `localhost.${part}.pem`)))
  const origins = new Map<string, string>()
  const servers: Http2SecureServer[] = []
  for (const { name, at } of all) {
    const play = plays.get(name)
    if (at !== 'http2' || !play) continue
    const server = createSecureServer({ ...(cert ? { cert } : {}), ...(key ? { key } : {}) })
    server.on('sessionError', () => {})
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      const pieces: Buffer[] = []
      stream.on('error', () => {})
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', async () => {
        const plain = Object.entries(headers).filter(([header]) => !header.startsWith(':'))
        const sent = Object.fromEntries(plain.map(([header, value]) => [header, String(value)]))
        const asked = { path: headers[':path'] ?? '', headers: sent, body: Buffer.concat(pieces) }
        await perform(stream, (await proxy.fetchAnswer(asked)).answer, play)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    origins.set(name, `https://localhost:${typeof address === 'object' && address ? address.port : 0}`)
    servers.push(server)
  }
  const stop = () => {
    for (const server of servers) server.close()
  }
  return { origins, stop }
}

const PAUSE_MS = 100

async function perform(stream: ServerHttp2Stream, answer: Answer, { how, part }: Play): Promise<void> {
  const { streamed, pieces, begun, delivered } = answer
  const whole = pieces.join('')
  if (part !== 'nothing') {
    stream.respond({ ':status': 200, 'content-type': streamed ? 'text/event-stream' : 'application/json' })
  }
  if (part === 'all') stream.end(whole)
  if (part === 'output') {
    stream.write(streamed ? pieces.slice(0, begun).join('') : whole.slice(0, whole.length / 2))
    if (streamed) await delivered()
  }
  if (how === 'end') return
  await Bun.sleep(PAUSE_MS)
  HOW[how].end(stream)
}
