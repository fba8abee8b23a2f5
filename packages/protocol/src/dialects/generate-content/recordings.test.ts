// Answers of real services, where the folder with them is at hand: what this dialect understands of each is what the
// official client reads from the same bytes.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import { bytesOf } from '../../../fixtures/buffer-codec.ts'
import { answerOf, eventsOf } from '../../../fixtures/generate-content/events.ts'
import type { CanonicalReply } from '../../canonical/reply.ts'
import { decodeReply } from './reply/decode-reply.ts'

const folder = join(process.env.TRIVIUM_RECORDINGS ?? '/nowhere', 'generate-content')
const names = existsSync(folder) ? readdirSync(folder).sort() : []
const contentOf = (name: string) => readFileSync(join(folder, name), 'utf8')

let body = ''
let status = 200
let server: ReturnType<typeof Bun.serve>
let client: GoogleGenAI
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    fetch: () => new Response(body, { status, headers: { 'content-type': 'application/json' } }),
  })
  client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: server.url.origin } })
})
afterAll(() => server.stop(true))
const QUESTION = { model: 'm', contents: 'x' }

type Call = { name: string; args: Record<string, unknown> }

/** Whole calls as they are; those in pieces put together, texts only, as the recordings have them. */
function callsIn(responses: GenerateContentResponse[]): Call[] {
  const calls: Call[] = []
  for (const wire of responses.flatMap((response) => response.functionCalls ?? [])) {
    if (wire.name !== undefined) calls.push({ name: wire.name, args: { ...wire.args } })
    for (const { jsonPath, stringValue } of wire.partialArgs ?? []) {
      const key = (jsonPath ?? '').replace('$.', '')
      const last = calls.at(-1)
      if (last !== undefined) last.args[key] = `${last.args[key] ?? ''}${stringValue ?? ''}`
    }
  }
  return calls
}

function readBy(responses: GenerateContentResponse[]) {
  const parts = responses.flatMap((response) => response.candidates?.[0]?.content?.parts ?? [])
  const last = responses.findLast((response) => response.usageMetadata?.promptTokenCount !== undefined)?.usageMetadata
  return {
    text: parts
      .filter((part) => part.thought !== true)
      .map((part) => part.text ?? '')
      .join(''),
    thoughts: parts
      .filter((part) => part.thought === true)
      .map((part) => part.text ?? '')
      .join(''),
    calls: callsIn(responses),
    finish: responses.findLast((response) => response.candidates?.[0]?.finishReason)?.candidates?.[0]?.finishReason as
      | string
      | undefined,
    input: last?.promptTokenCount,
    output: last === undefined ? undefined : (last.candidatesTokenCount ?? 0) + (last.thoughtsTokenCount ?? 0),
    signatures: parts.map((part) => part.thoughtSignature).filter((signature) => signature !== undefined),
  }
}

function understood({ choices, usage }: CanonicalReply) {
  const blocks = choices[0]?.blocks ?? []
  const said = (type: string) =>
    blocks.map((block) => (block.type === type && 'text' in block ? block.text : '')).join('')
  return {
    text: said('text'),
    thoughts: said('reasoning'),
    calls: blocks.flatMap((block): Call[] =>
      block.type === 'call' ? [{ name: block.name, args: JSON.parse(block.arguments) }] : [],
    ),
    finish: choices[0]?.stop?.raw,
    input: usage?.input,
    output: usage?.output,
    signatures: blocks.flatMap((block) =>
      'signature' in block && block.signature !== undefined ? [block.signature] : [],
    ),
  }
}

describe.each(names.filter((name) => name.endsWith('.chunks.txt')).map((name) => [name]))('%s', (name) => {
  const lines = contentOf(name)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const text = lines.map((line) => `data: ${line}\r\n\r\n`).join('')

  test('is read as the official client reads it', async () => {
    body = text
    const responses: GenerateContentResponse[] = []
    let rejected = false
    try {
      for await (const chunk of await client.models.generateContentStream(QUESTION)) responses.push(chunk)
    } catch {
      rejected = true
    }
    if (rejected) expect(eventsOf([text]).at(-1)?.type).toBe('error')
    else expect(understood(answerOf([text]))).toEqual(readBy(responses))
  })

  test('is the same however it is cut', () => {
    const bytes = bytesOf(text)
    const whole = JSON.stringify(eventsOf([bytes]))
    for (let size = 1; size < 200; size += 13) {
      const pieces: Uint8Array[] = []
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
      expect(JSON.stringify(eventsOf(pieces))).toBe(whole)
    }
    expect(JSON.stringify(eventsOf([`[${lines.join(',\n')}]`]))).toBe(whole)
  })
})

describe.each(names.filter((name) => name.endsWith('.json')).map((name) => [name]))('%s', (name) => {
  test('is read as the official client reads it', async () => {
    const content = JSON.parse(contentOf(name)) as { error?: { code: number } }
    body = JSON.stringify(content)
    status = content.error?.code ?? 200
    const decoded = decodeReply(content)
    try {
      const response = await client.models.generateContent(QUESTION)
      expect(decoded.ok ? understood(decoded.reply) : decoded).toEqual(readBy([response]))
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      expect(decoded.ok).toBe(false)
    } finally {
      status = 200
    }
  })
})

// A file of tests without a test is taken for a mistake.
if (names.length === 0) test('there are no recordings here', () => expect(names).toEqual([]))
