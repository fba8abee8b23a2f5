// What a client gets that does something wrong, and what happens when it leaves.
import { bodyIn, callIn, headersIn, pathIn } from '../../test/support/requests/dialect-calls.ts'
import { type Cell, DIALECTS, type Dialect, ENDPOINTS, Finding, must, show, type Trial } from '../cell.ts'
import { isOfClass, ONCE, STREAMS, statusOf } from '../clients/official.ts'
import { SDK_OF } from './answers.ts'

/** `status`: those that are right, the best first. */
type Mistake = { name: string; status: readonly number[]; change(trial: Trial): Partial<Trial>; broken?: true }

const MISTAKES: readonly Mistake[] = [
  { name: 'a wrong key', status: [401], change: () => ({ key: 'sk-court-no-such-key' }) },
  { name: 'an unknown model', status: [404, 400, 403], change: () => ({ model: 'court-no-such-model' }) },
  { name: 'a field of a wrong type', status: [400, 422], change: () => ({}), broken: true },
]

const UNKNOWN = [400, 401, 404]

async function thrownBy(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call()
  } catch (thrown) {
    return thrown
  }
  return undefined
}

/** A key or a model is refused by 400 in this dialect, as its service does it. */
const rightFor = (dialect: Dialect, { name, status }: Mistake): readonly number[] =>
  dialect === 'generate-content' && name === 'a wrong key' ? [400, ...status] : status

/** The fields by which the clients of a dialect recognise an error. */
export function mustBeErrorOf(dialect: Dialect, text: string): void {
  let body: Record<string, unknown>
  try {
    const parsed: unknown = JSON.parse(text)
    // One framing of generate-content is an array.
    body = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown>
  } catch {
    throw new Finding(`the error is not JSON: ${show(text)}`)
  }
  const error = (body?.error ?? {}) as Record<string, unknown>
  const lacks = (field: string) => () =>
    `the error has no ${field}, as clients of this protocol expect it: ${show(text)}`
  must(typeof error.message === 'string' && error.message !== '', lacks('error.message'))
  if (dialect === 'generate-content') {
    must(typeof error.code === 'number', lacks('number error.code'))
    must(typeof error.status === 'string', lacks('error.status'))
  } else must(typeof error.type === 'string', lacks('error.type'))
  if (dialect === 'messages') must(body.type === 'error', lacks('"type": "error"'))
}

const mistakes = DIALECTS.flatMap((dialect) =>
  MISTAKES.flatMap((mistake): Cell[] => {
    const { name, change, broken = false } = mistake
    const status = rightFor(dialect, mistake)
    const common = { area: 'errors', dialect, endpoint: ENDPOINTS[dialect], model: 'text' } as const
    return [
      {
        ...common,
        client: SDK_OF[dialect],
        name: `${name} is the SDK's error of the status ${status.join(' or ')}`,
        async run(trial) {
          const asked = { origin: trial.origin, key: trial.key, model: trial.model, prompt: `Hello (${trial.mark}).` }
          const thrown = await thrownBy(() => ONCE[dialect](Object.assign(asked, change(trial)), broken))
          const got = statusOf(thrown)
          must(got !== undefined, () => `the SDK threw no error of its own, but ${show(String(thrown))}`)
          must(status.includes(got), () => `status ${got}`)
          must(
            ![400, 401, 404].includes(got) || isOfClass(thrown, got),
            () => `it is a ${(thrown as Error).constructor.name}`,
          )
        },
      },
      {
        ...common,
        client: 'HTTP',
        name: `${name} is an error in the form of the protocol, streamed too`,
        async run(trial) {
          const { origin, key, model } = Object.assign({}, trial, change(trial))
          for (const streamed of [false, true]) {
            const more = broken ? brokenFieldOf(dialect) : {}
            const response = await callIn(dialect, origin, key, {
              model,
              streamed,
              prompt: `Hello (${trial.mark}).`,
              more,
            })
            const text = await response.text()
            must(status.includes(response.status), () => `status ${response.status}: ${show(text)}`)
            mustBeErrorOf(dialect, text)
          }
        },
      },
    ]
  }),
)

const brokenFieldOf = (dialect: Dialect): Record<string, unknown> =>
  dialect === 'generate-content' ? { generationConfig: { temperature: 'hot' } } : { temperature: 'hot' }

const others: readonly Cell[] = DIALECTS.flatMap((dialect): Cell[] => [
  {
    area: 'errors',
    dialect,
    client: 'HTTP',
    endpoint: ENDPOINTS[dialect],
    name: 'a body that is not JSON is 400, in the form of the protocol',
    model: 'text',
    async run({ origin, key, model }) {
      const response = await fetch(origin + pathIn(dialect, { model }), {
        method: 'POST',
        headers: headersIn(dialect, key),
        body: '{"model": ',
      })
      const text = await response.text()
      must(response.status === 400, () => `status ${response.status}: ${show(text)}`)
      mustBeErrorOf(dialect, text)
    },
  },
  {
    area: 'errors',
    dialect,
    client: 'HTTP',
    endpoint: ENDPOINTS[dialect],
    name: 'a request without a key is refused and not forwarded',
    model: 'text',
    async run({ origin, model, mark, vendor }) {
      const { authorization: _, 'x-api-key': __, 'x-goog-api-key': ___, ...headers } = headersIn(dialect, '')
      const body = JSON.stringify(bodyIn(dialect, { model, prompt: `Hello (${mark}).` }))
      const response = await fetch(origin + pathIn(dialect, { model }), { method: 'POST', headers, body })
      await response.text()
      must([...UNKNOWN, 403].includes(response.status), () => `status ${response.status}`)
      must((vendor?.callsOf(mark) ?? []).length === 0, () => 'the vendor got the request')
    },
  },
])

/** Long enough to be left, and slow enough to be cheap. */
const LONG = 'say 2000 words, pace 20 ms'
const NOTICE_MS = 8_000
/** Some output has arrived by then, in every protocol. */
const LEFT_AFTER = 12

const aborts: readonly Cell[] = DIALECTS.map((dialect) => ({
  area: 'abort',
  dialect,
  client: SDK_OF[dialect],
  endpoint: ENDPOINTS[dialect],
  name: 'a client leaves its stream: the upstream is closed within 8 s, and the next request works',
  model: 'text',
  async run(trial) {
    const { origin, key, model, mark, vendor } = trial
    const abort = new AbortController()
    const asked = { origin, key, model, prompt: `${LONG} (${mark}).`, signal: abort.signal }
    const ended = await thrownBy(async () => {
      let events = 0
      for await (const _ of await STREAMS[dialect](asked)) if (++events === LEFT_AFTER) abort.abort()
      must(events >= LEFT_AFTER, () => `the stream ended after ${events} events`)
    })
    must(statusOf(ended) === undefined || abort.signal.aborted, () => `the request failed: ${String(ended)}`)
    must(abort.signal.aborted, () => `the stream failed before it could be left: ${String(ended)}`)
    const end = performance.now() + NOTICE_MS
    const isOpen = () => vendor?.callsOf(mark).some(({ closed }) => !closed) === true
    while (isOpen() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
    must(!isOpen(), () => `the vendor still sends ${NOTICE_MS / 1_000} s later`)
    await ONCE[dialect]({ origin, key, model, prompt: 'Say 3 words.' }, false)
  },
}))

export const ERRORS: readonly Cell[] = [...mistakes, ...others, ...aborts]
