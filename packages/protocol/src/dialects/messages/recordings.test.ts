// Answers of real services, where the folder with them is at hand: what the official SDK reads directly from the bytes
// is what the decoders read.
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Anthropic from '@anthropic-ai/sdk'
import { ANSWERING, decoded } from '../../../fixtures/messages/answers.ts'
import { helped, unstreamed } from '../../../fixtures/messages/sdk.ts'
import type { CanonicalReply } from '../../canonical/reply.ts'
import { fold, unfold } from '../../canonical/reply.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { openStreamEncoder } from './reply/encode-stream.ts'

const folder = join(process.env.TRIVIUM_RECORDINGS ?? '', 'messages')
const files = process.env.TRIVIUM_RECORDINGS !== undefined && existsSync(folder) ? readdirSync(folder).sort() : []
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
const WHOLE = files.filter((file) => file.endsWith('.json'))
const STREAMED = files.filter((file) => file.endsWith('.chunks.txt'))

const framed = (file: string): string =>
  read(file)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `event: ${JSON.parse(line).type}\ndata: ${line}\n\n`)
    .join('')

type Normal = { text: string; thoughts: string; calls: unknown[]; stop: string | null; usage: unknown }

function ofMessage(message: Anthropic.Message): Normal {
  const { content, usage } = message
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thoughts: content.map((block) => (block.type === 'thinking' ? block.thinking + block.signature : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name, block.input]] : [])),
    stop: message.stop_reason,
    usage: [
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
      usage.cache_read_input_tokens ?? 0,
      usage.cache_creation_input_tokens ?? 0,
      usage.output_tokens,
      usage.output_tokens_details?.thinking_tokens ?? 0,
    ],
  }
}

function ofReply({ choices, usage }: CanonicalReply): Normal {
  const blocks = choices[0]?.blocks ?? []
  return {
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thoughts: blocks.map((block) => (block.type === 'reasoning' ? block.text + (block.signature ?? '') : '')).join(''),
    calls: blocks.flatMap((block) =>
      block.type === 'call' ? [[block.id, block.name, JSON.parse(block.arguments)]] : [],
    ),
    stop: choices[0]?.stop?.raw ?? null,
    usage: [usage?.input, usage?.cachedInput ?? 0, usage?.cacheWrite ?? 0, usage?.output, usage?.reasoning ?? 0],
  }
}

/** The same answer once more through the encoders, as clients of this dialect get it. */
async function through(reply: CanonicalReply): Promise<Normal[]> {
  const answering = { ...ANSWERING, seal: (signature: string) => signature }
  const encoder = openStreamEncoder(answering)
  const stream = [...unfold(reply)].map((event) => encoder.write(event)).join('')
  const whole = JSON.stringify(encodeReply(reply, answering))
  return [ofMessage(await helped(stream)), ofMessage(await unstreamed(whole))]
}

describe.skipIf(files.length === 0)('recordings', () => {
  test.each(WHOLE.map((file) => [file]))('%s', async (file) => {
    const body: unknown = JSON.parse(read(file))
    const answer = decodeReply(body)
    const isError = (body as { type?: unknown }).type === 'error'
    expect(answer.ok).toBe(!isError)
    if (!answer.ok) return
    const normal = ofReply(answer.reply)
    expect(normal).toEqual(ofMessage(await unstreamed(JSON.stringify(body))))
    for (const again of await through(answer.reply)) expect(again).toEqual(normal)
  })

  test.each(STREAMED.map((file) => [file]))('%s', async (file) => {
    const text = framed(file)
    const events = decoded(text)
    const isError = text.includes('event: error\n')
    expect(events.at(-1)?.type).toBe(isError ? 'error' : 'end')
    if (isError) return
    const reply = fold(events)
    const normal = ofReply(reply)
    // Two answers in a row are more than the SDK's helper takes: of those, the first is the answer.
    const end = text.indexOf('event: message_start', 1)
    expect(normal).toEqual(ofMessage(await helped(end < 0 ? text : text.slice(0, end))))
    for (const again of await through(reply)) expect(again).toEqual(normal)
    const length = Buffer.byteLength(text)
    const cuts = Array.from({ length: 40 }, (_, at) => Math.floor(((at + 1) * length) / 41))
    expect(decoded(text, cuts)).toEqual(events)
  })
})
