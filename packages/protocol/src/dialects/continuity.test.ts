// A vendor that signs the calls of its models wants them back signed. Clients of every dialect send back what they were
// given, each in its own way: the signature must still be on the same call.

import { expect, test } from 'bun:test'
import { bytesOf } from '../../fixtures/buffer-codec.ts'
import { addressOf, eventsOf, framesOf, plain, testAnswering, testTarget } from '../../fixtures/matrix.ts'
import { fold } from '../canonical/reply.ts'
import type { TextDialectId } from './index.ts'
import { TEXT_DIALECTS } from './index.ts'

const ANSWER = {
  responseId: 'r1',
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'Two ports.' },
          { functionCall: { id: 'c1', name: 'tide', args: { port: 'Brest' } }, thoughtSignature: 'c2lnbmVk' },
          { functionCall: { id: 'c2', name: 'tide', args: { port: 'Cork' } } },
        ],
      },
      finishReason: 'STOP',
    },
  ],
}

type Answer = Readonly<Record<string, unknown>>

/** The next request of a client that got this answer and has run both tools. */
const NEXT: Record<TextDialectId, (answer: Answer) => Record<string, unknown>> = {
  chat: ({ choices }) => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'Tides?' },
      (choices as { message: object }[])[0]?.message,
      { role: 'tool', tool_call_id: 'c1', content: '5.1 m' },
      { role: 'tool', tool_call_id: 'c2', content: '3.9 m' },
    ],
  }),
  responses: ({ output }) => ({
    model: 'm',
    input: [
      { role: 'user', content: 'Tides?' },
      ...(output as object[]),
      { type: 'function_call_output', call_id: 'c1', output: '5.1 m' },
      { type: 'function_call_output', call_id: 'c2', output: '3.9 m' },
    ],
  }),
  messages: ({ content }) => ({
    model: 'm',
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Tides?' },
      { role: 'assistant', content },
      {
        role: 'user',
        content: ['c1', 'c2'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: '5.1 m' })),
      },
    ],
  }),
  'generate-content': ({ candidates }) => ({
    contents: [
      { role: 'user', parts: [{ text: 'Tides?' }] },
      (candidates as { content: object }[])[0]?.content,
      {
        role: 'user',
        parts: [1, 2].map(() => ({ functionResponse: { name: 'tide', response: { output: '5.1 m' } } })),
      },
    ],
  }),
}

const upstream = TEXT_DIALECTS['generate-content']

test.each(
  Object.values(TEXT_DIALECTS).map((dialect) => [dialect.id, dialect] as const),
)('signed calls come back signed from clients of %s', (id, client) => {
  const read = upstream.decodeReply(ANSWER)
  if (!read.ok) throw new Error(read.error.message)
  const answer = plain(client.encodeReply(read.reply, testAnswering)) as Answer
  const request = client.decodeRequest(NEXT[id](answer), addressOf(id))
  const { body } = upstream.encodeRequest(request, { ...testTarget(), model: 'gemini-3-flash' })
  const contents = body.contents as { parts: { functionCall?: { args: object }; thoughtSignature?: string }[] }[]
  const calls = contents.flatMap(({ parts }) => parts).filter(({ functionCall }) => functionCall !== undefined)
  expect(calls.map(({ functionCall, thoughtSignature }) => [functionCall?.args, thoughtSignature])).toEqual([
    [{ port: 'Brest' }, 'c2lnbmVk'],
    [{ port: 'Cork' }, undefined],
  ])
})

test.each(
  Object.values(TEXT_DIALECTS).map((dialect) => [dialect.id, dialect] as const),
)('clients of %s are told the same in a stream', (_, client) => {
  const events = eventsOf(upstream, bytesOf(`data: ${JSON.stringify(ANSWER)}\n\n`))
  const streamed = fold(eventsOf(client, bytesOf(framesOf(client, events))))
  const read = client.decodeReply(plain(client.encodeReply(fold(events), testAnswering)))
  if (!read.ok) throw new Error(read.error.message)
  expect(streamed.choices[0]?.blocks).toEqual(read.reply.choices[0]?.blocks as never)
})
