// Three major versions of the Vercel AI SDK as clients of every dialect over upstreams of every dialect.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { recordedAnswers, TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { type SandboxGateway, startSandboxGateway } from '../../test/support/gateway/sandbox-gateway.ts'
import {
  configOfDialects,
  promptFor,
  type RecordedUpstream,
  startRecordedUpstream,
} from '../../test/support/upstreams/recorded-upstream.ts'
import { type Client, clientOf, MAJORS, PROVIDERS, type Provider, type Request } from '../support/ai-sdk.ts'

let recordings: RecordedUpstream
let gateway: SandboxGateway
/** The same, with upstreams that respond from files. */
let replaying: Gateway
let replayingKey: string
beforeAll(async () => {
  recordings = startRecordedUpstream()
  replaying = await startGateway({ config: configOfDialects(recordings.origin, 'inner-name') })
  replayingKey = (await newKey(replaying, '1000')).secret
  gateway = await startSandboxGateway()
})
afterAll(async () => {
  await gateway.stop()
  await replaying.stop()
  recordings.stop()
})

const TOOLS = {
  tide_height: {
    description: 'Tells the height of the tide at a port',
    inputSchema: { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
    execute: async () => ({ height: '5.1 m' }),
  },
}

/** One of the clients adds the name of the tool to its result. */
const RETURNED = /The tool tide_height returned: \{(?:"name":"tide_height","content":\{)?"height":"5.1 m"\}/

const CITY = {
  type: 'object',
  properties: { name: { type: 'string' }, people: { type: 'integer' } },
  required: ['name', 'people'],
  additionalProperties: false,
}

/** Sends items instead of references to stored ones, which are tested above. */
const OPTIONS = { openai: { store: false } }

type Outcome = Awaited<ReturnType<Client['call']>>
type Scenario = { request: Request; judge(outcome: Outcome): void }

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'plain text': {
    request: { system: 'Be brief.', prompt: 'Say 7 words' },
    judge({ text, finishReason, usage }) {
      expect(text).toStartWith('[sandbox] ')
      expect(finishReason).toBe('stop')
      expect(usage.inputTokens).toBeGreaterThan(0)
      expect(usage.outputTokens).toBeGreaterThan(0)
    },
  },
  'a tool loop with reasoning': {
    request: { prompt: 'Think 5 words. Call tide_height with {"port":"Brest"}', tools: TOOLS },
    judge({ text, steps }) {
      expect(steps.map(({ toolCalls }) => toolCalls.map(({ toolName, input }) => ({ toolName, input })))).toEqual([
        [{ toolName: 'tide_height', input: { port: 'Brest' } }],
        [],
      ])
      expect(text).toMatch(RETURNED)
    },
  },
  reasoning: {
    request: { prompt: 'Think 5 words. Say 7 words' },
    judge({ text, finishReason }) {
      expect(text).toStartWith('[sandbox] ')
      expect(finishReason).toBe('stop')
    },
  },
  'structured output': {
    request: { prompt: 'Name a city.', schema: CITY },
    judge({ object }) {
      expect(object).toEqual({ name: expect.any(String), people: expect.any(Number) })
    },
  },
}

describe.each(MAJORS.map((major) => [major]))('ai %d as a responses client that assumes stored responses', (major) => {
  const looping = (upstream: string, streamed: boolean) =>
    clientOf('responses', major, { origin: gateway.url, key: gateway.key, model: `over-${upstream}` }).then((client) =>
      client.call({ prompt: 'Think 5 words. Call tide_height with {"port":"Brest"}', tools: TOOLS, streamed }),
    )
  const cells = TEXT_DIALECT_IDS.flatMap((upstream) => [[upstream, false] as const, [upstream, true] as const])

  test.each(cells)('%s upstream, streamed: %p: its references to items are resolved', async (upstream, streamed) => {
    const { text, steps } = await looping(upstream, streamed)
    expect(steps).toHaveLength(2)
    expect(text).toMatch(RETURNED)
  })
})

const CLIENTS = MAJORS.flatMap((major) => PROVIDERS.map((provider) => [major, provider] as const))
const CELLS = TEXT_DIALECT_IDS.flatMap((upstream) => [
  { upstream, streamed: false },
  { upstream, streamed: true },
])

describe.each(CLIENTS)('ai %d as a %s client', (major, provider) => {
  // All upstreams in parallel, streamed and not: most of the time is spent waiting.
  test.each(Object.entries(SCENARIOS))('%s', async (_, { request, judge }) => {
    const calls = CELLS.map(async ({ upstream, streamed }) => {
      const client = await clientOf(provider, major, {
        origin: gateway.url,
        key: gateway.key,
        model: `over-${upstream}`,
      })
      try {
        judge(await client.call({ ...request, providerOptions: OPTIONS, streamed }))
      } catch (cause) {
        throw new Error(`${upstream} upstream, ${streamed ? 'streamed' : 'unstreamed'}: ${cause}`, { cause })
      }
    })
    // Awaiting them one by one would leave rejections of the others unhandled.
    const failed = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected')
    if (failed) throw failed.reason
  })
})

describe.each(MAJORS.map((major) => [major]))('ai %d reads recorded responses', (major) => {
  const replay = async (provider: Provider, file: string) => {
    const recorded = recordedAnswers().find(({ name }) => name === `fixtures/${file}`)
    if (recorded === undefined) throw new Error(`${file} is gone`)
    const model = `over-${recorded.dialect}`
    const client = await clientOf(provider, major, { origin: replaying.url, key: replayingKey, model })
    return client.call({ prompt: promptFor(recorded), streamed: recorded.streamed })
  }

  test.each([
    ['responses/quirk-searched.json'],
    ['responses/hosted-tools.chunks.txt'],
    ['generate-content/quirk-grounded.json'],
    ['generate-content/hosted-tools.chunks.txt'],
  ])('citations of URLs as a messages client: %s', async (file) => {
    const { sources, text } = await replay('messages', file)
    expect(text).not.toBe('')
    const cited = { sourceType: 'url', url: expect.stringMatching(/^https:/), title: expect.any(String) }
    // This version shows only results of the vendor's own search as sources.
    if (major === 5) expect(sources).toEqual([])
    else expect(sources).toContainEqual(expect.objectContaining(cited))
  })

  test('a citation of a document as a messages client', async () => {
    expect((await replay('messages', 'responses/quirk-files-searched.json')).text).not.toBe('')
  })

  test('a failed response as a responses client', async () => {
    const thrown = await replay('responses', 'generate-content/malformed-call.json').catch((error: unknown) => error)
    expect(thrown).toMatchObject({ message: 'The model tried to call a tool and failed at it.' })
  })
})
