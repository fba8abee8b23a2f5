// Answers of real services, where a folder of them is at hand: what the official SDK reads from the bytes is what the
// decoders read from them.

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { checkRules, eventsOf } from '../../../fixtures/chat/harness.ts'
import { type CanonicalReply, fold } from '../../canonical/reply.ts'
import { decodeReply } from './reply/decode-reply.ts'

const folder = join(process.env.TRIVIUM_RECORDINGS ?? '/nowhere', 'chat')
const names = existsSync(folder) ? readdirSync(folder).sort() : []

type Read = { text: string; reasoning: string; calls: unknown[]; finish: string | undefined; usage: unknown }

/** What services of this dialect add to the SDK's types. */
type Message = {
  content?: unknown
  reasoning_content?: string | null
  reasoning?: string | null
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[] | null
}

function textsOf(message: Message): { text: string; reasoning: string } {
  const reasoning = message.reasoning_content ?? message.reasoning ?? ''
  if (!Array.isArray(message.content)) return { text: String(message.content ?? ''), reasoning }
  let text = ''
  let thoughts = reasoning
  for (const part of message.content) {
    if (part.type === 'text') text += part.text
    else for (const piece of part.thinking) thoughts += piece.text
  }
  return { text, reasoning: thoughts }
}

const parsed = (text: string): unknown => JSON.parse(text === '' ? '{}' : text)

function usageOf(usage: OpenAI.CompletionUsage | null | undefined): unknown {
  if (usage === null || usage === undefined) return undefined
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0
  const isApart = reasoning > 0 && usage.total_tokens === usage.prompt_tokens + usage.completion_tokens + reasoning
  return { input: usage.prompt_tokens, output: usage.completion_tokens + (isApart ? reasoning : 0), reasoning }
}

const finishOf = (word: string | null | undefined, hasCalls: boolean): string | undefined =>
  word === 'stop' && hasCalls ? 'tool_calls' : (word ?? undefined)

async function withServer<Result>(body: string, type: string, ask: (client: OpenAI) => Promise<Result>) {
  const server = Bun.serve({ port: 0, fetch: () => new Response(body, { headers: { 'content-type': type } }) })
  try {
    return await ask(new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 }))
  } finally {
    await server.stop(true)
  }
}

const REQUEST = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }

async function streamed(body: string): Promise<Read> {
  return await withServer(body, 'text/event-stream', async (client) => {
    const read: Read = { text: '', reasoning: '', calls: [], finish: undefined, usage: undefined }
    const calls = new Map<number, { name: string; text: string }>()
    for await (const chunk of await client.chat.completions.create({ ...REQUEST, stream: true })) {
      read.usage = usageOf(chunk.usage) ?? read.usage
      for (const { delta, finish_reason } of chunk.choices) {
        const said = textsOf(delta as Message)
        read.text += said.text
        read.reasoning += said.reasoning
        for (const [position, call] of (delta.tool_calls ?? []).entries()) {
          const key = call.index ?? position
          const known = calls.get(key) ?? { name: '', text: '' }
          calls.set(key, {
            name: call.function?.name ?? known.name,
            text: known.text + (call.function?.arguments ?? ''),
          })
        }
        read.finish = finish_reason ?? read.finish
      }
    }
    read.calls = [...calls.values()].map(({ name, text }) => ({ name, arguments: parsed(text) }))
    return { ...read, finish: finishOf(read.finish, calls.size > 0) }
  })
}

async function whole(body: string): Promise<Read> {
  return await withServer(body, 'application/json', async (client) => {
    const { choices, usage } = await client.chat.completions.create(REQUEST)
    const message = choices[0]?.message as Message
    const calls = message.tool_calls ?? []
    return {
      ...textsOf(message),
      calls: calls.map((call) => ({ name: call.function?.name, arguments: parsed(call.function?.arguments ?? '') })),
      finish: finishOf(choices[0]?.finish_reason, calls.length > 0),
      usage: usageOf(usage),
    }
  })
}

const FINISH: Record<string, string> = { end: 'stop', length: 'length', tool: 'tool_calls', filter: 'content_filter' }

function canonical({ choices, usage }: CanonicalReply): Read {
  const blocks = choices[0]?.blocks ?? []
  const texts = (type: string) =>
    blocks.map((block) => (block.type === type && 'text' in block ? block.text : '')).join('')
  const calls = blocks.flatMap((block) => (block.type === 'call' ? [block] : []))
  return {
    text: texts('text'),
    reasoning: texts('reasoning'),
    calls: calls.map((call) => ({ name: call.name, arguments: parsed(call.arguments) })),
    finish: FINISH[choices[0]?.stop?.reason ?? ''],
    usage: usage && { input: usage.input, output: usage.output, reasoning: usage.reasoning ?? 0 },
  }
}

describe.if(names.length > 0)('recordings', () => {
  test.each(names.filter((name) => name.endsWith('.chunks.txt')))('%s', async (name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    const body = `${lines.map((line) => (line === '' ? '' : `data: ${line}\n\n`)).join('')}data: [DONE]\n\n`
    const events = eventsOf(body)
    checkRules(events)
    expect(events.at(-1)).toEqual({ type: 'end' })
    expect(canonical(fold(events))).toEqual(await streamed(body))
    for (const pieceLength of [1, 7, 1_000]) expect(eventsOf(body, pieceLength)).toEqual(events)
  })

  test.each(names.filter((name) => name.endsWith('.json')))('%s', async (name) => {
    const body = readFileSync(join(folder, name), 'utf8')
    const decoded = decodeReply(JSON.parse(body))
    expect(decoded.ok).toBe(!('error' in JSON.parse(body)))
    if (decoded.ok) expect(canonical(decoded.reply)).toEqual(await whole(body))
  })
})
