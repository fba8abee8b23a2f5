// An upstream of the four text dialects that thinks before it calls tools, and rejects a turn with calls that comes back without
// the reasoning or the signature that it gave, as vendors do. It gives the same ids again and again.

import { framesOf, testAnswering } from '../../../packages/protocol/fixtures/matrix.ts'
import { type Block, type CanonicalReply, unfold } from '../../../packages/protocol/src/canonical/reply.ts'
import { TEXT_DIALECTS, type TextDialectId } from '../../../packages/protocol/src/dialects/index.ts'

type Body = Record<string, unknown>
type Item = Record<string, unknown>

export type StrictUpstream = {
  origin: string
  /** The requests so far, newest last. */
  asked: { dialect: TextDialectId; body: Body }[]
  /** Answers instead, where it returns a response. */
  intercept: ((dialect: TextDialectId, body: Body) => Response | undefined) | undefined
  /** How often the words of its reasoning are said. */
  words: number
  /** Its last answer, unstreamed. */
  say(dialect: TextDialectId): Response
  stop(): void
}

/** Rounds of calls before the model answers. */
const ROUNDS = 2
const ANSWERING = { ...testAnswering, seal: (signature: string) => signature }

export const SAID = 'Nineteen knots.'

export function startStrictUpstream(): StrictUpstream {
  const issued = new Map<string, { text: string; signature: string }>()
  let count = 0

  function blocksFor(dialect: TextDialectId): Block[] {
    const number = ++count
    const port = `Port ${number}`
    const given = { text: `thought ${number} `.repeat(upstream.words).trim(), signature: `signature ${number}` }
    issued.set(port, given)
    const call = (index: number, at: string): Block => ({
      type: 'call',
      id: `call_${index}`,
      name: 'wind',
      custom: false,
      arguments: JSON.stringify({ unit: 'knots', port: at }),
      ...(dialect === 'generate-content' && index === 0 ? { signature: given.signature } : {}),
    })
    const calls = [call(0, port), call(1, `${port}, east`)]
    if (dialect === 'generate-content') return [{ type: 'reasoning', text: given.text, style: 'summary' }, ...calls]
    const signed = dialect === 'chat' ? {} : { signature: given.signature }
    const style = dialect === 'responses' ? 'summary' : 'full'
    return [{ type: 'reasoning', text: given.text, style, ...signed }, ...calls]
  }

  function answer(dialect: TextDialectId, body: Body, streamed: boolean): Response {
    const turns = turnsOf[dialect](body)
    const wrong = turns.find(({ port, text, signature }) => {
      const given = issued.get(port)
      if (dialect === 'chat') return text !== given?.text
      if (dialect === 'generate-content') return signature !== btoa(given?.signature ?? '')
      return signature !== given?.signature
    })
    if (wrong) {
      const message = `The reasoning of the call for ${wrong.port} is missing.`
      return Response.json({ type: 'error', error: { type: 'invalid_request_error', message } }, { status: 400 })
    }
    return reply(dialect, turns.length >= ROUNDS, streamed)
  }

  function reply(dialect: TextDialectId, isOver: boolean, streamed: boolean): Response {
    const blocks: Block[] = isOver ? [{ type: 'text', text: SAID, citations: [] }] : blocksFor(dialect)
    const stop = isOver ? { raw: 'stop', reason: 'end' } : { raw: 'tool', reason: 'tool' }
    const usage = { input: 20, output: 10 }
    const whole = { id: 'r', choices: [{ blocks, stop }], usage, omitted: [] } as unknown as CanonicalReply
    // Items have ids of their own, unlike calls.
    const answering = { ...ANSWERING, id: `up${count}` }
    if (!streamed) return Response.json(TEXT_DIALECTS[dialect].encodeReply(whole, answering))
    const frames = framesOf(TEXT_DIALECTS[dialect], unfold(whole), answering)
    return new Response(frames, { headers: { 'content-type': 'text/event-stream' } })
  }

  const asked: StrictUpstream['asked'] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const body = (await request.json()) as Body
      const dialect = dialectAt(pathname)
      asked.push({ dialect, body })
      const streamed = body.stream === true || pathname.endsWith(':streamGenerateContent')
      return upstream.intercept?.(dialect, body) ?? answer(dialect, body, streamed)
    },
  })
  const upstream: StrictUpstream = {
    origin: `http://127.0.0.1:${server.port}`,
    asked,
    intercept: undefined,
    words: 1,
    say: (dialect) => reply(dialect, true, false),
    stop: () => void server.stop(true),
  }
  return upstream
}

function dialectAt(path: string): TextDialectId {
  if (path.endsWith('/chat/completions')) return 'chat'
  if (path.endsWith('/responses')) return 'responses'
  return path.endsWith('/messages') ? 'messages' : 'generate-content'
}

/** A turn with calls: the port of its first call, and what came back with it. */
export type CalledTurn = { port: string; text?: unknown; signature?: unknown }

const list = (value: unknown): Item[] => (Array.isArray(value) ? value : [])
const portOf = (input: unknown): string =>
  String((typeof input === 'string' ? JSON.parse(input) : (input as { port: string })).port)

export const turnsOf: Record<TextDialectId, (body: Body) => CalledTurn[]> = {
  chat: ({ messages }) =>
    list(messages).flatMap(({ tool_calls, reasoning_content }) => {
      const [first] = list(tool_calls)
      const port = first && portOf((first.function as Item).arguments)
      return port === undefined ? [] : [{ port, text: reasoning_content }]
    }),
  responses({ input }) {
    const turns: CalledTurn[] = []
    let reasoning: Item | undefined
    let isFirst = true
    for (const item of list(input)) {
      if (item.type === 'reasoning') reasoning = item
      else if (item.type === 'function_call' && isFirst)
        turns.push({ port: portOf(item.arguments), signature: reasoning?.encrypted_content })
      isFirst = item.type !== 'function_call'
      if (item.type === 'function_call_output') reasoning = undefined
    }
    return turns
  },
  messages: ({ messages, thinking }) =>
    list(messages).flatMap(({ role, content }) => {
      const [first] = list(content)
      const call = list(content).find(({ type }) => type === 'tool_use')
      const isOff = (thinking as Item | undefined)?.type === 'disabled'
      if (role !== 'assistant' || !call || isOff) return []
      return [{ port: portOf(call.input), text: first?.thinking, signature: first?.signature }]
    }),
  'generate-content': ({ contents }) =>
    list(contents).flatMap(({ role, parts }) => {
      const call = list(parts).find(({ functionCall }) => functionCall)
      if (role !== 'model' || !call) return []
      return [{ port: portOf((call.functionCall as Item).args), signature: call.thoughtSignature }]
    }),
}
