// The sandbox as the vendor behind a gateway: it counts what it sends for each cell, breaks its responses as a cell asks for,
// and sees who leaves. Any gateway can be put in front of it, since a mark in the prompt says whose request it is.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { dialectBelow } from '@trivium/protocol/routes.ts'
import type { Fault } from '../../faults/fault.ts'
import { outputIn } from '../../faults/wire.ts'
import { createSandbox } from '../../packages/sandbox/src/handler.ts'
import { chunk, LAST_CHUNK, type Received, startUpstream } from '../../test/support/upstreams/raw-upstream.ts'
import { readAnswer, type Tokens, textOf } from '../../torture/client.ts'

export type VendorCall = {
  path: string
  dialect: TextDialectId
  streamed: boolean
  /** What the vendor bills for the whole answer; undefined: it answered with an error. */
  usage: Tokens | undefined
  /** The text of a streamed answer, as far as it was sent. */
  text: string
  /** All of it was sent, or the connection is closed. */
  closed: boolean
}

export type Vendor = {
  /** Without a path: those of the four protocols follow. */
  origin: string
  callsOf(mark: string): readonly VendorCall[]
  /** All responses to this cell get this fault. */
  breakFor(mark: string, fault: Fault): void
  /** The client of this cell has received its first bytes. */
  delivered(mark: string): void
  stop(): void
}

/** USD per million tokens, as the gateway must be configured for the comparison of money. */
export const PRICE = { input: 1, output: 4 }

const MARK = /court-\w+-\d+/g
/** A gateway may hold a response back: faults that wait for its client go on then. */
const MOST_WAIT_MS = 1_500
const PACE_MS = 2
const NOT_BILLED_BY_TOKENS = /\/models$|count|embed|images/i

/** `port`: 0 is any free one. */
export async function startVendor(port = 0): Promise<Vendor> {
  const sandbox = createSandbox({ faults: true, pace: PACE_MS })
  const calls = new Map<string, VendorCall[]>()
  const faults = new Map<string, Fault>()
  const deliveries = new Map<string, { arrived: Promise<void>; arrive(): void }>()

  function deliveryOf(mark: string) {
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const known = deliveries.get(mark) ?? { arrived, arrive }
    deliveries.set(mark, known)
    return known
  }

  async function answer(socket: Socket, received: Received): Promise<void> {
    const mark = received.body.toString('utf8').match(MARK)?.at(-1) ?? ''
    const fault = faults.get(mark)
    const path = received.head.split(' ')[1] ?? ''
    const pathname = path.split('?')[0] ?? ''
    const dialect = (dialectBelow(pathname) ?? 'chat') as TextDialectId
    const streamed = pathname.endsWith(':streamGenerateContent') || /"stream":\s*true/.test(received.body.toString())
    const call: VendorCall = { path, dialect, streamed, usage: undefined, text: '', closed: false }
    calls.set(mark, [...(calls.get(mark) ?? []), call])
    const left = new AbortController()
    const leave = () => {
      call.closed = true
      left.abort()
    }
    socket.once('close', leave)
    const send = (body: Buffer, switches = '') =>
      sandbox(requestOf(received, `${origin}${path}`, { body, switches, signal: left.signal }))
    if (fault?.at === 'deaf') return
    if (fault?.respond) {
      const { pieces } = await answerOf(await send(received.body, fault.switches?.(dialect)))
      call.usage = readAnswer(dialect, streamed, pieces.join('')).usage
      call.text = streamed ? textOf(dialect, pieces.join('')) : ''
      const delivered = () => Promise.race([deliveryOf(mark).arrived, sleep(MOST_WAIT_MS)])
      await fault.respond({ dialect, streamed, pieces, ...outputIn(dialect, pieces), delivered, socket, origin })
    } else {
      const switches = fault?.switches?.(dialect)
      const response = await send(received.body, switches)
      if (response.ok && !NOT_BILLED_BY_TOKENS.test(path)) call.usage = await billed(call, received)
      await pass(response, socket, (text) => {
        call.text += text
      })
      call.text = streamed ? textOf(dialect, call.text) : ''
    }
    call.closed = true
    socket.off('close', leave)
  }

  /** What the sandbox says of the same request without a fault, also where its stream does not say it. */
  async function billed({ dialect, streamed, path }: VendorCall, received: Received): Promise<Tokens | undefined> {
    const body = JSON.parse(received.body.toString('utf8')) as Record<string, unknown>
    if (dialect === 'chat' && streamed) body.stream_options = { include_usage: true }
    const request = { ...received, headers: { ...received.headers, 'x-sandbox-pace': '0' } }
    const bytes = Buffer.from(JSON.stringify(body))
    const reply = await sandbox(requestOf(request, `${origin}${path}`, { body: bytes, switches: '' }))
    return readAnswer(dialect, streamed, await reply.text()).usage
  }

  let origin = ''
  const respond = (socket: Socket, received: Received) => answer(socket, received).catch(() => void socket.destroy())
  const upstream = await startUpstream(respond, port)
  origin = new URL(upstream.url).origin
  return {
    origin,
    callsOf: (mark) => calls.get(mark) ?? [],
    breakFor: (mark, fault) => void faults.set(mark, fault),
    delivered: (mark) => deliveryOf(mark).arrive(),
    stop: upstream.stop,
  }
}

function requestOf(
  { head, headers }: Received,
  url: string,
  { body, switches, signal }: { body: Buffer; switches: string | undefined; signal?: AbortSignal },
): Request {
  const { connection: _, 'content-length': __, 'transfer-encoding': ___, host: ____, expect: _____, ...sent } = headers
  const method = head.split(' ')[0] ?? 'POST'
  return new Request(url, {
    method,
    headers: switches ? { ...sent, 'x-sandbox-fault': switches } : sent,
    ...(method === 'GET' ? {} : { body: new Uint8Array(body) }),
    ...(signal ? { signal } : {}),
  })
}

async function answerOf(response: Response): Promise<{ pieces: string[] }> {
  const text = await response.text()
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  return { pieces: streamed ? text.split(/(?<=\n\n|\r\n\r\n)/).filter((piece) => piece !== '') : [text] }
}

/** Sends a response as it comes. A body that fails destroys the connection, as the fault means it. */
async function pass(response: Response, socket: Socket, onText: (text: string) => void): Promise<void> {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`HTTP/1.1 ${response.status} Answer\r\n${headers}transfer-encoding: chunked\r\n\r\n`)
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    if (socket.destroyed) return
    onText(decoder.decode(bytes, { stream: true }))
    if (bytes.length > 0 && !socket.write(chunk(Buffer.from(bytes)))) await drained(socket)
  }
  socket.write(LAST_CHUNK)
}

const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.once('drain', done).once('close', done)
  })
