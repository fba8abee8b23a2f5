// What the official SDK of a service's own dialect reads from it directly is what all four official SDKs read from it
// through the gateway. Services respond from files: the project's own, and real recordings if
// TRIVIUM_RECORDINGS names a folder with them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { type Recorded, recordedAnswers, TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import type { Answer } from '../../test/support/sdk/answer.ts'
import { type Asking, type Reading, readWith } from '../../test/support/sdk/readers.ts'
import {
  configOfDialects,
  promptFor,
  type RecordedUpstream,
  startRecordedUpstream,
} from '../../test/support/upstreams/recorded-upstream.ts'

/** TRIVIUM_TEST_SEED repeats a run. */
const SEED = Number(process.env.TRIVIUM_TEST_SEED ?? Date.now() % 1_000_000)

let upstream: RecordedUpstream
let gateway: Gateway
let key: string
beforeAll(async () => {
  upstream = startRecordedUpstream()
  gateway = await startGateway({ config: configOfDialects(upstream.origin, 'inner-name') })
  key = (await newKey(gateway, '1000')).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

const directly = (recorded: Recorded, mode: Asking['mode']): Promise<Reading> =>
  readWith(recorded.dialect, {
    origin: upstream.origin,
    key: 'upstream-key',
    model: 'inner-name',
    prompt: promptFor(recorded),
    mode,
  })

/** In a service's own dialect the bytes pass through, and its SDK may object to them as it would without the gateway. */
const through = (client: TextDialectId, recorded: Recorded, streamed: boolean, seed?: number): Promise<Reading> =>
  readWith(client, {
    origin: gateway.url,
    key,
    model: `over-${recorded.dialect}`,
    prompt: promptFor(recorded, seed),
    mode: streamed ? (client === recorded.dialect ? 'raw' : 'helper') : 'unstreamed',
  })

/** The readings through the gateway that are correct for a direct reading. */
type Verdict = { answers: Answer[]; failure: boolean; anyAnswer: boolean }

const MUST_FAIL: Verdict = { answers: [], failure: true, anyAnswer: false }
const ANYTHING_CLEAN: Verdict = { answers: [], failure: true, anyAnswer: true }

/**
 * For a service that violates its own dialect, a clean response and an error are both correct. For the project's own
 * files the meaning is known: `.broken` must end in an error, `.odd` may, all others have one correct reading.
 */
function verdictOn(name: string, read: Reading, strict: Reading): Verdict {
  if ('failure' in read || name.includes('.broken.')) return MUST_FAIL
  const isKnown = name.startsWith('fixtures/') && !name.includes('.odd.')
  if ('objection' in read || ('objection' in strict && !isKnown) || name.includes('.odd.')) return ANYTHING_CLEAN
  const { answer } = read
  if (answer.finish !== 'malformed') return { answers: [answer], failure: false, anyAnswer: false }
  return { answers: [answer, { ...answer, finish: 'completed' }], failure: true, anyAnswer: false }
}

function judge(reading: Reading, { answers, failure, anyAnswer }: Verdict, passing: boolean): void {
  if ('failure' in reading && failure) return
  if ('objection' in reading && failure && passing) return
  if ('answer' in reading && anyAnswer) return
  const [expected, other] = answers
  if (expected === undefined) expect(reading).toEqual({ failure: expect.anything() })
  else if ('answer' in reading) {
    const read = expected.usage === undefined ? { ...reading.answer, usage: undefined } : reading.answer
    expect(read).toEqual(other !== undefined && read.finish === other.finish ? other : expected)
  } else expect<unknown>(reading).toEqual({ answer: expected })
}

test.each([
  ['generate-content/quirk-image.json', '/v1/messages', ['images;omitted']],
  ['responses/quirk-files-searched.json', '/v1/chat/completions', ['file_search_call;omitted', 'citations;omitted']],
  ['responses/quirk-files-searched.json', '/v1/messages', ['file_search_call;omitted']],
  ['chat/quirk-executed-tools.json', '/v1/messages', ['executed_tools;omitted']],
])('%s at %s: warnings name what was dropped', async (file, path, warnings) => {
  const recorded = recordedAnswers().find(({ name }) => name === `fixtures/${file}`)
  if (recorded === undefined) throw new Error(`${file} is gone`)
  const messages = [{ role: 'user', content: promptFor(recorded) }]
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: `over-${recorded.dialect}`, max_tokens: 100, messages }),
  })
  expect([response.status, await response.text()]).toEqual([200, expect.anything()])
  expect(response.headers.get('x-trivium-warnings')?.split(', ')).toEqual(expect.arrayContaining(warnings))
})

const CLIENTS = TEXT_DIALECT_IDS.map((id) => [id] as const)

describe.each(recordedAnswers().map((recorded) => [recorded.name, recorded] as const))('%s', (_, recorded) => {
  const isError = recorded.status !== 200
  const modes = isError ? [false, true] : [recorded.streamed]
  let verdict: Verdict
  beforeAll(async () => {
    const read = await directly(recorded, recorded.streamed ? 'raw' : 'unstreamed')
    verdict = verdictOn(recorded.name, read, recorded.streamed ? await directly(recorded, 'helper') : read)
  })

  test.each(CLIENTS)('as %s reads it', async (client) => {
    for (const streamed of modes) judge(await through(client, recorded, streamed), verdict, client === recorded.dialect)
  })

  if (!recorded.streamed) return
  test.each(CLIENTS)(`as %s reads it in pieces (seed ${SEED})`, async (client) => {
    judge(await through(client, recorded, true, SEED), verdict, client === recorded.dialect)
  })
})
