// Three major versions of the Vercel AI SDK as clients of every dialect over upstreams of every dialect.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { recordedAnswers, TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { type Outcome, SCENARIOS, TOOLS, UNSTORED } from '../../court/cells/ai-sdk-scenarios.ts'
import { clientOf, MAJORS, PROVIDERS, type Provider } from '../../court/clients/ai-sdk.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { type SandboxGateway, startSandboxGateway } from '../../test/support/gateway/sandbox-gateway.ts'
import {
  configOfDialects,
  promptFor,
  type RecordedUpstream,
  startRecordedUpstream,
} from '../../test/support/upstreams/recorded-upstream.ts'

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

/** One of the clients adds the name of the tool to its result. */
const RETURNED = /The tool tide_height returned: \{(?:"name":"tide_height","content":\{)?"height":"5.1 m"\}/

/** What only the sandbox answers, besides what the scenario asserts. */
function expectOfSandbox(name: string, { text }: Outcome): void {
  if (name === 'structured output') return
  expect(text).toStartWith('[sandbox] ')
  if (name === 'a tool loop with reasoning') expect(text).toMatch(RETURNED)
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
  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, { request, judge }) => {
    const calls = CELLS.map(async ({ upstream, streamed }) => {
      const client = await clientOf(provider, major, {
        origin: gateway.url,
        key: gateway.key,
        model: `over-${upstream}`,
      })
      try {
        const outcome = await client.call({ ...request, providerOptions: UNSTORED, streamed })
        judge(outcome)
        expectOfSandbox(name, outcome)
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
