import { describe, expect, test } from 'bun:test'
import { APIError } from 'openai'
import { answering, encoded } from '../../../fixtures/responses/harness.ts'
import { BLOCKS, reply, stopped, text } from '../../../fixtures/responses/replies.ts'
import { REQUEST, served } from '../../../fixtures/responses/sdk.ts'
import { type CanonicalReply, unfold } from '../../canonical/reply.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { heartbeat, openStreamEncoder } from './reply/encode-stream.ts'
import { decodeRequest } from './request/decode-request.ts'

const ANSWERS: [what: string, answer: CanonicalReply][] = [
  ['every kind of block', reply(BLOCKS)],
  ['nothing at all', reply([])],
  ['an answer that was cut', stopped([text('High wa')], 'length')],
  ['a filtered one', stopped([], 'filter')],
]

const echo = decodeRequest({ ...REQUEST, metadata: { port: 'Brest' } }, undefined).echo ?? {}
const asked = answering({ echo })

describe.each(ANSWERS)('the official SDK takes %s', (_, answer) => {
  const whole = JSON.parse(JSON.stringify(encodeReply(answer, asked)))
  const frames = encoded(unfold(answer), asked)

  test('whole', async () => {
    await using server = served(JSON.stringify(whole), 'application/json')
    const { output_text, _request_id, ...read } = await server.client.responses.create(REQUEST)
    expect(read as unknown).toEqual(whole)
    const texts = answer.choices[0]?.blocks.map((block) => (block.type === 'text' ? block.text : '')) ?? []
    expect(output_text).toBe(texts.join(''))
  })

  test('as a stream', async () => {
    await using server = served(frames, 'text/event-stream', 7)
    const stream = await server.client.responses.create({ ...REQUEST, stream: true })
    let streamed = ''
    let last: unknown
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') streamed += event.delta
      if ('response' in event) last = event.response
    }
    expect(last).toEqual(whole)
    expect(streamed).toBe(
      answer.choices[0]?.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('') ?? '',
    )
  })

  test('with its stream helper, after signs of life', async () => {
    await using server = served(heartbeat + frames, 'text/event-stream', 5)
    const { output_text, output_parsed, ...read } = await server.client.responses.stream(REQUEST).finalResponse()
    expect(read as unknown).toMatchObject({ ...whole, output: whole.output })
  })
})

test('the snapshot that the helper builds from the pieces is what the last event says', async () => {
  const frames = encoded(unfold(reply(BLOCKS)), asked)
  // Without the last event, the pieces are all there is.
  const pieces = frames.slice(0, frames.indexOf('event: response.completed'))
  await using server = served(pieces, 'text/event-stream')
  const read = await server.client.responses.stream(REQUEST).finalResponse()
  const { output } = JSON.parse(JSON.stringify(encodeReply(reply(BLOCKS), asked)))
  expect(read.output.map(({ ...item }) => JSON.parse(JSON.stringify(item)))).toMatchObject(output)
})

describe('a failure in the middle', () => {
  const encoder = openStreamEncoder(asked)
  const begun = [...unfold(reply([text('It is 5.1')]))].slice(0, 3).map((event) => encoder.write(event))
  const frames = begun.join('') + encoder.abandon({ code: 'upstream_error', message: 'The upstream failed.' })

  test('is thrown by the iterator, after the failed response', async () => {
    await using server = served(frames, 'text/event-stream')
    const stream = await server.client.responses.create({ ...REQUEST, stream: true })
    const types: string[] = []
    const read = async () => {
      for await (const event of stream) types.push(event.type)
    }
    await expect(read()).rejects.toThrow(APIError)
    expect(types.at(-1)).toBe('response.failed')
  })

  test('is thrown by the helper', async () => {
    await using server = served(frames, 'text/event-stream')
    const failed = server.client.responses.stream(REQUEST).finalResponse()
    await expect(failed).rejects.toMatchObject({ code: 'upstream_error', type: 'server_error' })
  })

  test('is thrown by the helper when nothing was written before', async () => {
    const alone = openStreamEncoder(asked).abandon({ code: 'rate_limit_exceeded', message: 'Too many.' })
    await using server = served(heartbeat + alone, 'text/event-stream')
    const failed = server.client.responses.stream(REQUEST).finalResponse()
    await expect(failed).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  })
})
