// Conversations of two turns with a tool in each, run by the frameworks that people use, over upstreams of every dialect.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { judgeTurns, LOOP_CLIENTS, promptsAbout } from '../../court/clients/tool-loops/clients.ts'
import { INSTRUCTIONS, type ToolLoop } from '../../court/clients/tool-loops/tool-loop.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { spoken, systemOf } from '../../test/support/sdk/chained.ts'
import { configOfDialects } from '../../test/support/upstreams/recorded-upstream.ts'
import { type RecordingSandbox, startRecordingSandbox } from '../../test/support/upstreams/recording-sandbox.ts'

let upstream: RecordingSandbox
let gateway: Gateway
let key: string
beforeAll(async () => {
  upstream = startRecordingSandbox()
  gateway = await startGateway({ config: configOfDialects(upstream.origin, 'sandbox-text') })
  key = (await newKey(gateway, '1000')).secret
})
afterAll(async () => {
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  upstream.stop()
})

let conversations = 0

async function converse(loop: ToolLoop, dialect: TextDialectId, streamed: boolean): Promise<void> {
  // Marks the conversation, since many run at once.
  const subject = `conversation ${++conversations}.`
  const prompts = promptsAbout(subject)
  const before = upstream.asked.length
  const turns = await loop({ origin: gateway.url, key, model: `over-${dialect}`, streamed }, prompts)
  judgeTurns(turns)
  expect(turns.map(({ text }) => text)).toEqual(
    ['Brest', 'Cork'].map((port) =>
      expect.stringMatching(new RegExp(`^\\[sandbox\\] The tool tide_height returned: .*5\\.1 m at ${port}`)),
    ),
  )
  const requests = upstream.asked
    .slice(before)
    .flatMap(({ body }) => (JSON.stringify(body).includes(subject) ? [body] : []))
  expect(requests).toHaveLength(4)
  const last = requests.at(-1) ?? {}
  const said = spoken(dialect, last).filter((line) => /^(user|assistant): ./.test(line))
  expect(said).toEqual([`user: ${prompts[0]}`, `assistant: ${turns[0]?.text}`, `user: ${prompts[1]}`])
  expect(JSON.stringify(last)).toContain('5.1 m at Brest')
  expect(systemOf(dialect, last)).toBe(INSTRUCTIONS)
}

const CELLS = TEXT_DIALECT_IDS.flatMap((dialect) => [false, true].map((streamed) => ({ dialect, streamed })))

describe.each(
  LOOP_CLIENTS.map(({ client, dialect, how, loop }) => [`${client}, ${dialect}, ${how}`, loop] as const),
)('%s', (_, loop) => {
  // All upstreams in parallel, streamed and not: most of the time is spent waiting.
  test('two turns with a tool', async () => {
    const running = CELLS.map(({ dialect, streamed }) =>
      converse(loop, dialect, streamed).catch((cause) => {
        throw new Error(`${dialect} upstream, ${streamed ? 'streamed' : 'unstreamed'}: ${cause}`, { cause })
      }),
    )
    const failed = (await Promise.allSettled(running)).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('\n'))
  })
})
