// Reasoning that its vendor wants back unmodified, over turns with tools: it is returned only to the upstream that it is
// from, for the same account. The embedded model rejects a foreign signature, so any successful response means that it
// received none.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { CLIENTS, PAIRS, sandboxConfig } from '../../test/support/requests/dialect-calls.ts'
import { CONVERSATIONS, type Step } from '../../test/support/sdk/tool-conversation.ts'

let gateway: Gateway
let mine: string
let another: string
beforeAll(async () => {
  gateway = await startGateway({ config: sandboxConfig() })
  mine = (await newKey(gateway)).secret
  another = (await newKey(gateway)).secret
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"|request failed/)
  await gateway.stop()
})

const RESULT = 'five metres'
const PROMPT = 'Think aloud and sign. Call tide_height with {"port":"Brest"}.'

const talk = (client: TextDialectId, upstream: TextDialectId, streamed: boolean, then: Step[]) =>
  CONVERSATIONS[client](
    { origin: gateway.url, key: mine, model: `over-${upstream}`, streamed, prompt: PROMPT, then },
    () => ({ text: RESULT }),
  )

/** How much signed reasoning the embedded model received; nothing for a conversation without any. */
const signed = (text: string): number => Number(/reasoning returned: (\d+) signed/.exec(text)?.[1] ?? 0)

/** The signature that a client sees. Generate-content carries it in base64. */
const SEALED = /gw1\.[\w-]+|Z3cxL[\w+/=-]+/g

const ALTERED: [how: string, alter: (sealed: string) => string][] = [
  ['one letter', (sealed) => `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`],
  ['cut short', (sealed) => sealed.slice(0, 24)],
  ['nothing but its beginning', (sealed) => sealed.slice(0, sealed.startsWith('gw1.') ? 4 : 8)],
  ['something of its own', () => 'c29tZXRoaW5nIGVsc2U='],
]

const translated = PAIRS.filter(([client, upstream]) => client !== upstream)

describe.each([[false], [true]])('streamed: %p', (streamed) => {
  test.each(PAIRS)('%s client, %s upstream: it is returned to the upstream', async (client, upstream) => {
    const { text } = await talk(client, upstream, streamed, [{}])
    expect(text).toContain(RESULT)
    expect(signed(text)).toBe(1)
    // Reasoning in plain text is returned as such.
    if (upstream === 'chat') expect(text).toContain('1 unsigned')
  })

  test.each(
    translated,
  )('%s client, %s upstream: it is encrypted for the client, and useless for another account', async (client, upstream) => {
    const { texts, history } = await talk(client, upstream, streamed, [{ key: another }, { alter: untilResults }])
    expect(texts[0]).toContain(RESULT)
    expect(texts.map(signed)).toEqual([0, 1])
    expect(history).not.toMatch(/c2FuZGJveC1zZWFs|sandbox-seal/)
  })
})

/** The conversation up to the result of the tool. */
function untilResults(history: string): string {
  const all = JSON.parse(history) as unknown[]
  const last = all.findIndex((entry) => JSON.stringify(entry).includes(RESULT))
  return JSON.stringify(all.slice(0, last + 1))
}

describe.each(translated)('%s client, %s upstream: altered', (client, upstream) => {
  test.each(ALTERED)('%s: dropped', async (_, alter) => {
    const step = { alter: (history: string) => history.replace(SEALED, alter) }
    const { text } = await talk(client, upstream, false, [step])
    expect(text).toContain(RESULT)
    // A chat client has none of these to alter: the gateway keeps them.
    const isKept = client === 'chat' && upstream !== 'generate-content'
    expect(signed(text)).toBe(isKept ? 1 : 0)
  })
})

describe.each(CLIENTS)('%s client: a conversation that moves to another upstream and back', (client) => {
  const moves = TEXT_DIALECT_IDS.flatMap((from) =>
    TEXT_DIALECT_IDS.filter((to) => to !== from).map((to): [TextDialectId, TextDialectId] => [from, to]),
  )
  test.each(moves)('%s, %s', async (from, to) => {
    const back = { model: `over-${from}` }
    const steps = [{ model: `over-${to}` }, back, { ...back, alter: untilResults }]
    const { texts } = await talk(client, from, to === 'messages', steps)
    expect(texts[0]).toContain(RESULT)
    expect(texts[1]).toContain('[sandbox]')
    expect([texts[0], texts[2]].map((text = '') => signed(text))).toEqual([0, 1])
  })
})
