// The same questions through the official SDK of each dialect.
import { afterAll, describe, expect, test } from 'bun:test'
import { chatDriver } from '../../test-support/dialects/chat.ts'
import { generateContentDriver } from '../../test-support/dialects/generate-content.ts'
import { messagesDriver } from '../../test-support/dialects/messages.ts'
import { responsesDriver } from '../../test-support/dialects/responses.ts'
import type { Answer, Driver, Question } from '../../test-support/driver.ts'
import { misfits } from '../../test-support/schema.ts'
import { startSandboxServer } from '../server.ts'

const server = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 0 })
afterAll(() => server.stop())

const DRIVERS = [chatDriver, responsesDriver, messagesDriver, generateContentDriver].map((open) => open(server.url))
const tokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 4)
const TOOLS = [
  { name: 'get_weather', properties: { city: { type: 'string' as const } } },
  { name: 'add', properties: { a: { type: 'integer' as const }, b: { type: 'integer' as const } } },
]
const SCHEMA = {
  type: 'object',
  properties: { kind: { type: 'string', enum: ['a', 'b'] }, n: { type: 'integer', minimum: 3 } },
  required: ['kind', 'n'],
}

/** Everything except the turn: ids and the boundaries of chunks may differ. */
const seen = ({ turn: _, ...rest }: Answer) => rest

async function both(driver: Driver, question: Question, history?: unknown[]): Promise<Answer> {
  const single = await driver.ask(question, 'single', history)
  expect(seen(await driver.ask(question, 'stream', history))).toEqual(seen(single))
  return single
}

describe.each(DRIVERS.map((driver) => [driver.name, driver] as const))('%s', (name, driver) => {
  const { words } = driver

  test('text that echoes the request', async () => {
    const answer = await both(driver, { prompt: 'Look: 北京 🙂', system: 'Be terse.', attach: true, tools: TOOLS })
    expect(answer.text).toStartWith('[sandbox] You said: Look: 北京 🙂\n- messages: ')
    expect(answer.text).toContain('\n- system: "Be terse."\n')
    expect(answer.text).toMatch(
      /- attachments: image image\/png 70 bytes; file (?:a\.pdf )?application\/pdf 30 bytes\n/,
    )
    expect(answer.text).toContain('\n- tools: get_weather, add')
    expect([answer.finish, answer.reasoning, answer.calls]).toEqual([words.stop, '', []])
    expect([answer.usage.output, answer.usage.reasoning]).toEqual([tokens(answer.text), 0])
    expect(answer.usage.input).toBeGreaterThan(2 * 85 + tokens('Be terse.Look: 北京 🙂'))
  })

  test('the tokens of the prompt and its cached part are counted', async () => {
    const prompt = 'cached 3 tokens of these'
    expect((await both(driver, { prompt })).usage).toMatchObject({ input: tokens(prompt), cached: 3 })
    const written = 'cached 2 tokens, caching 3 tokens, no more than that'
    expect((await both(driver, { prompt: written })).usage).toMatchObject({ input: tokens(written), cached: 2 })
  })

  test('the token limit', async () => {
    const answer = await both(driver, { prompt: '北京北京北京', maxTokens: 7 })
    expect(answer).toMatchObject({ text: '[sandbox] You said: 北京', finish: words.length, usage: { output: 7 } })
  })

  test('a refusal', async () => {
    const answer = await both(driver, { prompt: 'Please refuse.' })
    expect(answer).toMatchObject({ text: '[sandbox] I will not help with that.', finish: words.refusal })
  })

  test('JSON by schema', async () => {
    const answer = await both(driver, { prompt: 'Hello', schema: SCHEMA })
    expect(misfits(SCHEMA, JSON.parse(answer.text))).toEqual([])
  })

  if (words.stopSequence !== undefined) {
    test('a stop sequence', async () => {
      const answer = await both(driver, { prompt: 'Hello', stop: 'aid: He' })
      expect(answer).toMatchObject({ text: '[sandbox] You s', finish: words.stopSequence })
    })
  }

  test.each([
    [{ prompt: 'call all tools' }, [{ city: 'sample' }, { a: 1, b: 1 }]],
    [
      { prompt: 'Call add with {"a":2,"b":3} and add with {"a":4,"b":5}' },
      [
        { a: 2, b: 3 },
        { a: 4, b: 5 },
      ],
    ],
    [{ prompt: 'Hello', toolChoice: 'required' as const }, [{ city: 'sample' }]],
    [{ prompt: 'call all tools', toolChoice: 'none' as const }, []],
  ])('tools: %j', async (question, inputs) => {
    const answer = await both(driver, { ...question, tools: TOOLS })
    expect(answer.calls.map(({ input }): unknown => input)).toEqual(inputs)
    expect(answer.finish).toBe(inputs.length > 0 ? words.tools : words.stop)
  })

  test('text, then calls', async () => {
    const answer = await both(driver, { prompt: 'Explain, then call add', tools: TOOLS })
    expect([answer.text, answer.calls.length]).toEqual(['[sandbox] I call add.', 1])
  })

  test.each(['single', 'stream'] as const)('parallel calls and their results in a second turn: %s', async (how) => {
    const question = { prompt: 'call all tools', tools: TOOLS }
    const first = await driver.ask(question, how)
    const history = driver.results(first, [{ text: 'rain' }, { text: 'too large', failed: true }])
    const second = await both(driver, question, history)
    const failed = name === 'messages' || name === 'generate-content'
    expect(second.text).toBe(
      `[sandbox] The tool get_weather returned: rain\nThe tool add ${failed ? 'failed' : 'returned'}: too large`,
    )
    expect([second.calls, second.finish]).toEqual([[], words.stop])
  })

  test('reasoning before the answer, counted', async () => {
    const answer = await both(driver, { prompt: 'think 40 words and say 30 words' })
    expect(answer.reasoning).toStartWith('[sandbox] amber birch')
    expect(answer.usage.reasoning).toBe(tokens(answer.reasoning))
    expect(answer.usage.output).toBe(tokens(answer.reasoning) + tokens(answer.text))
  })

  test('hidden reasoning is counted and not shown', async () => {
    const answer = await both(driver, { prompt: 'think secretly 40 words and say 3 words' })
    expect([answer.reasoning, answer.usage.reasoning > 40, answer.text]).toEqual([
      '',
      true,
      '[sandbox] amber birch cedar',
    ])
  })

  test.each(['think', 'think secretly', 'think aloud'])('reasoning sent back in a tool loop: %s', async (order) => {
    const question = { prompt: `First ${order} and sign. Call all tools.`, tools: TOOLS }
    for (const how of ['single', 'stream'] as const) {
      const first = await driver.ask(question, how)
      const results = driver.results(first, [{ text: 'rain' }, { text: '3' }])
      expect((await both(driver, question, results)).text).toMatch(/\n- reasoning returned: 1 signed, [01] unsigned$/)
      const signature = SEAL.exec(JSON.stringify(results))?.[0] ?? ''
      for (const altered of [
        `${signature.slice(0, 30)}${signature[30] === 'A' ? 'B' : 'A'}${signature.slice(31)}`,
        signature.slice(0, 40),
      ]) {
        const changed: unknown[] = JSON.parse(JSON.stringify(results).replace(signature, altered))
        expect(await thrown(driver.ask(question, 'single', changed))).toBeInstanceOf(driver.errorAt(400))
      }
      const without: unknown[] = JSON.parse(JSON.stringify(results), dropReasoning)
      expect((await both(driver, question, without)).text).toEndWith('The tool add returned: 3')
    }
  })

  test.each([400, 401, 429, 500, 503])('a status of %d is the error class of the SDK', async (status) => {
    for (const how of ['single', 'stream'] as const) {
      const error = await thrown(driver.ask({ prompt: 'Hello', model: `sandbox-text:status=${status}` }, how))
      expect(error).toBeInstanceOf(driver.errorAt(status))
      expect(error).toMatchObject({ status })
      expect(String(error)).toContain(`Injected fault: status ${status}`)
    }
  })

  test('an unknown model is a 404', async () => {
    expect(await thrown(driver.ask({ prompt: 'Hello', model: 'other' }, 'single'))).toMatchObject({ status: 404 })
  })

  test('an invalid token limit is a 400', async () => {
    const error = await thrown(driver.ask({ prompt: 'Hello', maxTokens: -1 }, 'stream'))
    expect(error).toBeInstanceOf(driver.errorAt(400))
  })

  test('results without their calls, and calls without their results, are a 400', async () => {
    const question = { prompt: 'call all tools', tools: TOOLS }
    const first = await driver.ask(question, 'single')
    const [, ...orphans] = driver.results({ ...first, turn: [{}] }, [{ text: 'rain' }, { text: '3' }])
    for (const history of [first.turn, driver.results(first, [{ text: 'rain' }]), orphans])
      expect(await thrown(driver.ask(question, 'single', history))).toBeInstanceOf(driver.errorAt(400))
  })

  test('an error in the middle of a stream is thrown', async () => {
    const error = await thrown(driver.ask({ prompt: 'Hello', model: 'sandbox-text:error-event=3' }, 'stream'))
    expect(String(error)).toContain('Injected fault: error-event')
  })

  test.each([
    'crlf',
    'split-utf8',
    'drip=0',
    'slow-headers=5',
    'usage-every-chunk',
  ])('%s changes nothing for the SDK', async (fault) => {
    const answer = await both(driver, { prompt: 'Look: 北京', maxTokens: 17, model: `sandbox-text:${fault}` })
    expect(answer.text).toStartWith('[sandbox] You said: Look: 北京')
    expect([answer.usage.output, answer.finish]).toEqual([17, words.length])
  })
})

/** The prefix of every signature, and the rest of it. */
const SEAL = /c2FuZGJveC1zZWFsL[\w+/]+=*/

const thrown = (promise: Promise<unknown>) =>
  promise.then(
    (answer) => `nothing was thrown: ${JSON.stringify(answer)}`,
    (error: unknown) => error,
  )

/** For JSON.parse: what a client that keeps no reasoning sends back. */
function dropReasoning(key: string, value: unknown): unknown {
  if (['thoughtSignature', 'extra_content', 'reasoning_content'].includes(key)) return undefined
  if (!Array.isArray(value)) return value
  return value.filter(
    (item) =>
      !(
        item?.thought ||
        item?.parts?.length === 0 ||
        ['reasoning', 'thinking', 'redacted_thinking'].includes(item?.type)
      ),
  )
}
