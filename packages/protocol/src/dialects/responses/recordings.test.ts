// Answers that real services gave, where there are any: what the official SDK reads from them is what is read here.
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type OpenAI from 'openai'
import { bytesOf } from '../../../fixtures/buffer-codec.ts'
import { decoded } from '../../../fixtures/responses/harness.ts'
import { REQUEST, served } from '../../../fixtures/responses/sdk.ts'
import { type CanonicalReply, fold } from '../../canonical/reply.ts'
import { decodeReply } from './reply/decode-reply.ts'

type Response = OpenAI.Responses.Response

const folder = join(process.env.TRIVIUM_RECORDINGS ?? '', 'responses')
const files = process.env.TRIVIUM_RECORDINGS !== undefined && existsSync(folder) ? readdirSync(folder).sort() : []
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

/** In words that both sides have. */
const said = (answers: readonly Response[]) => {
  const items = answers.flatMap(({ output }) => output)
  const last = answers.at(-1)
  return {
    text: answers.map(({ output_text }) => output_text).join(''),
    reasoning: items
      .flatMap((item) => (item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : []))
      .map((part) => part.text),
    calls: items.flatMap((item) => {
      if (item.type === 'function_call')
        return [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]
      return item.type === 'custom_tool_call' ? [{ id: item.call_id, name: item.name, input: item.input }] : []
    }),
    isCut: last?.status === 'incomplete',
    usage: [last?.usage?.input_tokens, last?.usage?.output_tokens, last?.usage?.input_tokens_details?.cached_tokens],
  }
}

function understood({ choices, usage }: CanonicalReply): ReturnType<typeof said> {
  const [{ blocks, stop } = { blocks: [], stop: undefined }] = choices
  return {
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: blocks
      .flatMap((block) => (block.type === 'reasoning' ? block.text.split('\n\n') : []))
      .filter((part) => part !== ''),
    calls: blocks.flatMap((block) =>
      block.type === 'call'
        ? [{ id: block.id, name: block.name, input: block.custom ? block.arguments : JSON.parse(block.arguments) }]
        : [],
    ),
    isCut: stop?.reason === 'length' || stop?.reason === 'filter',
    usage: [usage?.input, usage?.output, usage?.cachedInput],
  }
}

const splitThoughts = (answer: ReturnType<typeof said>) => ({
  ...answer,
  reasoning: answer.reasoning.flatMap((part) => part.split('\n\n')).filter((part) => part !== ''),
})

describe.each(files.filter((file) => file.endsWith('.json')).map((file) => [file]))('%s', (file) => {
  test('is read as the SDK reads it', async () => {
    const body = JSON.parse(read(file))
    const decodedReply = decodeReply(body)
    expect(decodedReply.ok).toBe(body.error === null || body.error === undefined)
    if (!decodedReply.ok) return
    await using server = served(read(file), 'application/json')
    const answer = await server.client.responses.create(REQUEST)
    expect(understood(decodedReply.reply)).toEqual(splitThoughts(said([answer])))
  })
})

describe.each(files.filter((file) => file.endsWith('.chunks.txt')).map((file) => [file]))('%s', (file) => {
  test('is read as the SDK reads it, whole and cut', async () => {
    const lines = read(file)
      .split('\n')
      .filter((line) => line.trim() !== '')
    const text = lines.map((line) => `event: ${JSON.parse(line).type}\ndata: ${line}\n\n`).join('')
    const events = decoded(text)
    expect(events.filter(({ type }) => type === 'error')).toEqual([])
    await using server = served(text, 'text/event-stream', 11)
    const answers: Response[] = []
    let streamed = ''
    for await (const event of await server.client.responses.create({ ...REQUEST, stream: true })) {
      if (event.type === 'response.output_text.delta') streamed += event.delta
      if (event.type !== 'response.completed' && event.type !== 'response.incomplete') continue
      const output_text = event.response.output
        .flatMap((item) => (item.type === 'message' ? item.content : []))
        .map((part) => (part.type === 'output_text' ? part.text : ''))
      answers.push({ ...event.response, output_text: output_text.join('') })
    }
    const expected = splitThoughts(said(answers))
    // Some services put another text into the last event than they have streamed. What was streamed cannot be unsaid.
    expect(understood(fold(events))).toEqual({ ...expected, text: streamed || expected.text })
    const bytes = bytesOf(text)
    for (let part = 1; part < 10; part++) {
      const at = Math.floor((bytes.length * part) / 10) + part
      expect(decoded(bytes.subarray(0, at), bytes.subarray(at))).toEqual(events)
    }
  })
})

test('recordings are read where there are any', () => {
  expect(files.length > 0).toBe(existsSync(folder) && process.env.TRIVIUM_RECORDINGS !== undefined)
})
