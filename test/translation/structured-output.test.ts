// Response formats that only some protocols support, with the official clients over every upstream.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI, Type } from '@google/genai'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import OpenAI from 'openai'
import { type SandboxGateway, startSandboxGateway } from '../support/gateway/sandbox-gateway.ts'

let gateway: SandboxGateway
beforeAll(async () => {
  gateway = await startSandboxGateway()
})
afterAll(() => gateway.stop())

const google = () => new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } })
const openai = () => new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })

describe.each(TEXT_DIALECT_IDS)('a %s upstream', (upstream) => {
  const model = `over-${upstream}`
  const list = {
    model,
    contents: 'Name some ports.',
    config: {
      responseMimeType: 'application/json',
      responseSchema: { type: Type.ARRAY, items: { type: Type.STRING }, minItems: '1' },
    },
  }
  const strings = [expect.any(String)]

  test('a list for Google’s client', async () => {
    const { text } = await google().models.generateContent(list)
    expect(JSON.parse(text ?? '')).toEqual(strings)
  })

  test('a streamed list for Google’s client', async () => {
    let text = ''
    for await (const chunk of await google().models.generateContentStream(list)) text += chunk.text ?? ''
    expect(JSON.parse(text)).toEqual(strings)
  })
})

// The messages protocol has no such mode: there the prompt asks for JSON, and the embedded model does not follow prompts.
describe.each(TEXT_DIALECT_IDS.filter((id) => id !== 'messages'))('JSON mode of a %s upstream', (upstream) => {
  const model = `over-${upstream}`

  test('for Google’s client', async () => {
    const config = { responseMimeType: 'application/json' }
    const { text } = await google().models.generateContent({ model, contents: 'Name a port.', config })
    expect(JSON.parse(text ?? '')).toBeObject()
  })

  test('requested in the system message only', async () => {
    const { choices } = await openai().chat.completions.create({
      model,
      messages: [
        { role: 'system', content: 'Answer in JSON.' },
        { role: 'user', content: 'Name a port.' },
      ],
      response_format: { type: 'json_object' },
    })
    expect(JSON.parse(choices[0]?.message.content ?? '')).toBeObject()
  })
})
