// The official client against what this dialect writes.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import { ANSWERS, usage } from '../../../fixtures/generate-content/answers.ts'
import { framesOf } from '../../../fixtures/generate-content/events.ts'
import { answeringOf } from '../../../fixtures/generate-content/harness.ts'
import type { StreamEvent } from '../../canonical/event.ts'
import { type CanonicalReply, unfold } from '../../canonical/reply.ts'
import { encodeError, encodeStreamError } from './error.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { heartbeat } from './reply/encode-stream.ts'
import { decodeRequest } from './request/decode-request.ts'

/** What the server answers next, and what it was asked last. */
let respond: (stream: boolean) => Response = () => new Response()
let asked: unknown
let server: ReturnType<typeof Bun.serve>
let client: GoogleGenAI

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    async fetch(request) {
      asked = await request.json()
      return respond(new URL(request.url).pathname.endsWith(':streamGenerateContent'))
    },
  })
  client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: server.url.origin } })
})
afterAll(() => server.stop(true))

const json = (body: unknown, status = 200) => Response.json(body, { status })
const events = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
const QUESTION = { model: 'tide-1', contents: 'When?' }

function readBy(responses: GenerateContentResponse[]) {
  const candidates = responses.flatMap((response) => response.candidates ?? []).filter(({ index }) => index === 0)
  const parts = candidates.flatMap((candidate) => candidate.content?.parts ?? [])
  const textOf = (isThought: boolean) =>
    parts
      .filter((part) => (part.thought === true) === isThought)
      .map((part) => part.text ?? '')
      .join('')
  return {
    text: textOf(false),
    thoughts: textOf(true),
    calls: parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall])),
    images: parts.filter((part) => part.inlineData !== undefined).length,
    finish: candidates.at(-1)?.finishReason as string | undefined,
    tokens: responses.at(-1)?.usageMetadata?.totalTokenCount,
  }
}

function expected({ choices, usage: figures }: CanonicalReply) {
  const blocks = choices[0]?.blocks ?? []
  const said = (type: string) =>
    blocks.map((block) => (block.type === type && 'text' in block ? block.text : '')).join('')
  const words: Record<string, string> = { end: 'STOP', tool: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' }
  return {
    text: said('text'),
    thoughts: said('reasoning'),
    calls: blocks.flatMap((block) =>
      block.type === 'call'
        ? [{ id: block.id, name: block.name, args: JSON.parse(block.arguments) as Record<string, unknown> }]
        : [],
    ),
    images: blocks.filter((block) => block.type === 'media').length,
    finish: words[choices[0]?.stop?.reason ?? ''],
    tokens: figures === undefined ? expect.any(Number) : (figures.input ?? 0) + (figures.output ?? 0),
  }
}

describe.each(ANSWERS.map((answer) => [answer.name, answer] as const))('%s', (_, { reply }) => {
  test('generateContent', async () => {
    respond = () => json(encodeReply(reply, answeringOf()))
    expect(readBy([await client.models.generateContent(QUESTION)])).toEqual(expected(reply))
  })

  test('generateContentStream', async () => {
    const frames = framesOf(unfold(reply), answeringOf())
    respond = () => events(heartbeat + frames.split(/(?<=\n\n)/).join(heartbeat))
    const responses: GenerateContentResponse[] = []
    for await (const chunk of await client.models.generateContentStream(QUESTION)) responses.push(chunk)
    expect(readBy(responses)).toEqual(expected(reply))
  })
})

test('a chat with tools: the history survives a round trip', async () => {
  const first: CanonicalReply = {
    id: 'u',
    choices: [
      {
        blocks: [
          { type: 'reasoning', text: 'Two ports.', style: 'full', signature: 'sig-1' },
          { type: 'redacted', data: 'hidden' },
          { type: 'text', text: 'Let me look.', citations: [] },
          { type: 'call', id: 'a', name: 'tide', arguments: '{"port":"Brest"}', custom: false, signature: 'sig-2' },
          { type: 'call', id: 'b', name: 'tide', arguments: '', custom: false },
        ],
        stop: { raw: 'tool_use', reason: 'tool' },
      },
    ],
    usage: usage(5, 5),
    omitted: [],
  }
  const chat = client.chats.create({ model: 'tide-1', config: { systemInstruction: 'Be brief.' } })
  respond = () => events(framesOf(piecemeal(first), answeringOf()))
  for await (const _ of await chat.sendMessageStream({ message: 'Which is higher?' }));
  respond = () => json(encodeReply({ ...first, choices: [{ blocks: [], stop: undefined }] }, answeringOf()))
  await chat.sendMessage({
    message: [
      { functionResponse: { id: 'b', name: 'tide', response: { error: 'offline' } } },
      { functionResponse: { id: 'a', name: 'tide', response: { output: '5.1 m' } } },
    ],
  })
  const { instructions, turns } = decodeRequest(asked, { model: 'tide-1', stream: false })
  expect(instructions).toEqual([{ text: 'Be brief.' }])
  expect(turns).toMatchObject([
    { role: 'user', parts: [{ text: 'Which is higher?' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Two ports.', signature: 'gw1.sig-1' },
        { type: 'redacted', data: 'gw1.hidden' },
        { type: 'text', text: 'Let me look.' },
        { type: 'call', id: 'a', arguments: '{"port":"Brest"}', signature: 'gw1.sig-2' },
        { type: 'call', id: 'b', arguments: '{}' },
      ],
    },
    {
      role: 'user',
      parts: [
        { type: 'result', callId: 'b', isError: true, parts: [{ text: 'offline' }] },
        { type: 'result', callId: 'a', parts: [{ text: '5.1 m' }] },
      ],
    },
  ])
  expect(turns[1]?.parts).toHaveLength(5)
})

/** Every delta in single characters, as a model would stream it. */
function* piecemeal(reply: CanonicalReply): Generator<StreamEvent> {
  for (const event of unfold(reply)) {
    if (event.type === 'delta') for (const text of event.text) yield { ...event, text }
    else yield event
  }
}

describe('errors', () => {
  const failure = { code: 'service_unavailable', message: 'busy' } as const
  const statusOf = async (run: () => Promise<unknown>): Promise<number | string> => {
    try {
      await run()
    } catch (thrown) {
      return thrown instanceof ApiError ? thrown.status : String(thrown)
    }
    return 'nothing was thrown'
  }

  test('before the first byte', async () => {
    const { status, body } = encodeError(failure, 'req_1')
    respond = () => json(body, status)
    expect(await statusOf(() => client.models.generateContent(QUESTION))).toBe(503)
    expect(await statusOf(() => client.models.generateContentStream(QUESTION))).toBe(503)
  })

  test('in the middle of a stream', async () => {
    const begun = [...unfold(ANSWERS[1]?.reply ?? ({} as CanonicalReply))].slice(0, 4)
    respond = () => events(framesOf(begun, answeringOf()) + encodeStreamError(failure, 'req_1'))
    let chunks = 0
    const reading = async () => {
      for await (const _ of await client.models.generateContentStream(QUESTION)) chunks++
    }
    expect(await statusOf(reading)).toBe(503)
    expect(chunks).toBe(1)
  })
})
