// The proxy between the gateway and a correct sandbox: it gets the complete response and decides how it is sent. Real
// sockets, since most of these faults exist only there.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { chunk, head, LAST_CHUNK, STREAM_HEAD, startUpstream } from '../test/support/upstreams/raw-upstream.ts'
import { readAnswer, type Tokens, textOf } from '../torture/client.ts'
import { dialectOfPath } from '../torture/replay-upstream.ts'
import type { Answer, Wire } from './answer.ts'
import type { Fault } from './fault.ts'

/** What the upstream reported, to be compared with the ledger. */
export type Reported = { usage: Tokens | undefined; text: string }

/** A request of the gateway for a cell: the path is `/fault/cell/` and then the dialect's own. */
export type ForwardedRequest = { path: string; headers: Record<string, string>; body: Buffer }

export type FaultProxy = {
  origin: string
  /** Fetches the sandbox's response, and the fault to apply. */
  fetchAnswer(asked: ForwardedRequest): Promise<{ fault: string; answer: Answer }>
  /** The client of this call has received its first bytes. */
  deliver(cell: string): void
  reported: Map<string, Reported>
  /** How many redirects were followed. */
  followed(): number
  stop(): void
}

/** The target of redirects: a request for this path has followed one. */
export const ELSEWHERE = '/elsewhere'

export async function startProxy(sandbox: string, faults: readonly Fault[]): Promise<FaultProxy> {
  const plays = new Map(faults.map(({ name, respond: play = forward }) => [name, play]))
  const told = new Map<string, Reported>()
  const deliveries = new Map<string, PromiseWithResolvers<void>>()
  const deliveryOf = (cell: string) => {
    const known = deliveries.get(cell) ?? Promise.withResolvers<void>()
    deliveries.set(cell, known)
    return known
  }
  let followed = 0
  let origin = ''

  async function ask({ path, headers, body }: ForwardedRequest): Promise<{ fault: string; answer: Answer }> {
    const [, fault = '', cell = '', ...rest] = path.split('/')
    const { host: _, connection: __, ...sent } = headers
    const address = `${sandbox}/${rest.join('/')}`
    const reply = await fetch(address, { method: 'POST', headers: sent, body: new Uint8Array(body), decompress: false })
    const text = await reply.text()
    if (reply.status !== 200) throw new Error(`the sandbox rejects the request: ${text}`)
    const dialect = dialectOfPath(new URL(address).pathname.replace(/:\w+$/, ''))
    const streamed = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
    const pieces = streamed ? text.split(/(?<=\n\n|\r\n\r\n)/).filter((piece) => piece !== '') : [text]
    const { usage } = readAnswer(dialect, streamed, text)
    told.set(cell, { usage, text: streamed ? textOf(dialect, text) : '' })
    const delivered = () => deliveryOf(cell).promise
    const answer = { dialect, streamed, pieces, ...outputIn(dialect, pieces), delivered }
    return { fault: decodeURIComponent(fault), answer }
  }

  const upstream = await startUpstream(async (socket, { head: asked, headers, body }) => {
    const path = asked.split(' ')[1] ?? ''
    if (path.startsWith(ELSEWHERE)) followed++
    const { fault, answer } = await ask({ path, headers, body })
    await (plays.get(fault) ?? forward)({ ...answer, socket, origin })
  })
  origin = new URL(upstream.url).origin
  return {
    origin,
    fetchAnswer: ask,
    reported: told,
    stop: upstream.stop,
    deliver: (cell) => deliveryOf(cell).resolve(),
    followed: () => followed,
  }
}

export function outputIn(dialect: TextDialectId, pieces: readonly string[]): { begun: number; said: number } {
  const speaks = pieces.map((piece) => textOf(dialect, piece) !== '')
  return { begun: speaks.indexOf(true) + 1, said: speaks.lastIndexOf(true) + 1 }
}

/** How much of a response is sent. Of an unstreamed body, `output` is half of it and `said` all but its last byte. */
export type CutPosition = 'headers' | 'first-event' | 'output' | 'said' | 'all'

/** Long enough for the other side to have read what was written, where nothing else shows it. */
const PAUSE_MS = 100
export const pause = () => sleep(PAUSE_MS)

/** Sends a part of the response, correctly framed but without an end, and waits until it has been read. */
export async function sendUpTo(wire: Wire, where: CutPosition, framing = framingOf(wire)): Promise<void> {
  const { socket, streamed, pieces, begun, said, delivered } = wire
  const { top, frame } = framing
  const send = (...texts: (string | Buffer)[]) =>
    void socket.write(Buffer.concat([Buffer.from(top), ...texts.map(frame)]))
  const whole = Buffer.from(pieces.join(''))
  if (where === 'headers') send()
  else if (!streamed)
    send(
      whole.subarray(
        0,
        { 'first-event': 10, output: whole.length / 2, said: whole.length - 1, all: whole.length }[where],
      ),
    )
  else if (where === 'first-event') send(half(pieces[0] ?? ''))
  else send(...pieces.slice(0, { output: begun, said, all: pieces.length }[where]))
  if (!streamed || where === 'headers' || where === 'first-event') return await pause()
  await delivered()
  if (where === 'output') socket.write(frame(half(pieces[begun] ?? '')))
  await pause()
}

export type Framing = { top: string; frame(text: string | Buffer): Buffer; end: string }

export function framingOf({ streamed, pieces }: Wire): Framing {
  if (streamed) return { top: STREAM_HEAD, frame: chunk, end: LAST_CHUNK }
  return { top: head(200, Buffer.byteLength(pieces.join(''))), frame: Buffer.from, end: '' }
}

const half = (piece: string): Buffer => {
  const bytes = Buffer.from(piece)
  return bytes.subarray(0, bytes.length / 2)
}

/** Sends the response unchanged; the first output separately, so that the rest certainly arrives after it. */
export async function forward(wire: Wire): Promise<void> {
  const { socket, streamed, pieces, begun, delivered } = wire
  const { top, frame, end } = framingOf(wire)
  socket.write(Buffer.concat([Buffer.from(top), ...pieces.slice(0, streamed ? begun : 1).map(frame)]))
  if (!streamed) return
  if (begun > 0) await delivered()
  socket.write(Buffer.concat([...pieces.slice(begun).map(frame), Buffer.from(end)]))
}
