// An upstream that replays recorded responses on plain sockets, chunk by chunk, and records how each connection ends.
// The prompt contains a mark that identifies the call.
import type { Socket } from 'node:net'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { createSandbox } from '../packages/sandbox/src/handler.ts'
import { bodyIn, type CallOptions, headersIn, pathIn } from '../test/support/requests/dialect-calls.ts'
import {
  chunk,
  head,
  LAST_CHUNK,
  STREAM_HEAD,
  startUpstream,
  type Upstream,
} from '../test/support/upstreams/raw-upstream.ts'

/** What an upstream of a dialect sends: events of a stream, or one body. */
export type Answer = { streamed: boolean; pieces: string[] }

/** The state of a call at the upstream. */
export type ReplayedCall = { begun: boolean; sentAll: boolean; closedAt: number | undefined }

export type ReplayUpstream = {
  /** Without a path: the dialects' paths follow. */
  origin: string
  calls: Map<string, ReplayedCall>
  stop(): void
}

/** `stays`: the upstream stops in the middle of its stream and waits until the gateway closes the connection. */
export const callMark = (mark: string, stays = false) => `<<${mark}${stays ? STAYS : ''}>>`
const STAYS = '-stays'
/** So much of a stream is sent by an upstream that stays. */
const SENT_BEFORE = 0.6

/** Records a response of the sandbox. */
async function recordAnswer(dialect: TextDialectId, calling: CallOptions): Promise<Answer> {
  const sandbox = createSandbox({ faults: false, pace: 0 })
  const more = dialect === 'chat' && calling.streamed ? { stream_options: { include_usage: true } } : {}
  const response = await sandbox(
    new Request(`http://upstream${pathIn(dialect, { ...calling, model: 'sandbox-text' })}`, {
      method: 'POST',
      headers: headersIn(dialect, 'any'),
      body: JSON.stringify(bodyIn(dialect, { ...calling, model: 'sandbox-text', more })),
    }),
  )
  const text = await response.text()
  if (response.status !== 200) throw new Error(`no response to record: ${text}`)
  const streamed = calling.streamed === true
  return { streamed, pieces: streamed ? text.split(/(?<=\n\n)/).filter((piece) => piece !== '') : [text] }
}

export const dialectOfPath = (path: string): TextDialectId => {
  if (path.includes('/models/')) return 'generate-content'
  if (path.endsWith('/messages')) return 'messages'
  return path.endsWith('/responses') ? 'responses' : 'chat'
}

/** Records the response to one prompt in all dialects, streamed and not. `change` may alter it. */
export async function recordAll(prompt: string, change = (piece: string) => piece) {
  const answers = new Map<string, Answer>()
  for (const dialect of TEXT_DIALECT_IDS) {
    for (const streamed of [true, false]) {
      const { pieces } = await recordAnswer(dialect, { model: '', streamed, prompt })
      answers.set(`${dialect} ${streamed}`, { streamed, pieces: pieces.map(change) })
    }
  }
  return (path: string, body: string): Answer => {
    const streamed = path.includes(':stream') || /"stream":true/.test(body)
    const answer = answers.get(`${dialectOfPath(path.split('?')[0] ?? '')} ${streamed}`)
    if (!answer) throw new Error(`no response for ${path}`)
    return answer
  }
}

/** `answerFor`: selects the response by the request's path and body; `paceMs`: the pause between two chunks. */
export async function startReplayUpstream(
  answerFor: (path: string, body: string) => Answer,
  paceMs: number,
): Promise<ReplayUpstream> {
  const played = new Map<string, ReplayedCall>()
  const upstream: Upstream = await startUpstream(async (socket, request) => {
    const body = request.body.toString()
    const path = request.head.split(' ')[1] ?? ''
    const name = /<<([\w-]+)>>/.exec(body)?.[1] ?? ''
    const stays = name.endsWith(STAYS)
    const mark = stays ? name.slice(0, -STAYS.length) : name
    const call: ReplayedCall = { begun: true, sentAll: false, closedAt: undefined }
    played.set(mark, call)
    // Connections are used again, for any number of calls.
    socket.setMaxListeners(0).once('close', () => {
      call.closedAt = performance.now()
    })
    const answer = answerFor(path, body)
    await play(socket, stays ? beginningOf(answer) : answer, paceMs)
    call.sentAll = !stays && !socket.destroyed
  })
  return { origin: new URL(upstream.url).origin, calls: played, stop: upstream.stop }
}

function beginningOf({ streamed, pieces }: Answer): Answer & { endless: true } {
  const most = pieces.join('').length * SENT_BEFORE
  const upTo = (index: number) => pieces.slice(0, index + 1).join('').length
  return { streamed, endless: true, pieces: pieces.filter((_, index) => upTo(index) <= most) }
}

async function play(socket: Socket, answer: Answer & { endless?: true }, paceMs: number): Promise<void> {
  const { streamed, pieces, endless } = answer
  const bytes = streamed ? pieces.map((piece) => chunk(piece)) : inParts(Buffer.from(pieces.join('')))
  socket.write(streamed ? STREAM_HEAD : head(200, Buffer.concat(bytes).length))
  for (const piece of bytes) {
    await Bun.sleep(paceMs)
    if (socket.destroyed) return
    socket.write(piece)
  }
  if (streamed && !endless) socket.write(LAST_CHUNK)
}

/** An unstreamed body is sent in a few chunks, so that clients can disconnect in between. */
function inParts(body: Buffer): Buffer[] {
  const size = Math.ceil(body.length / 4)
  return Array.from({ length: 4 }, (_, index) => body.subarray(index * size, (index + 1) * size))
}
