// A tool loop in all sixteen pairs of client and upstream, streamed and not: parallel calls reach the client, and what
// its tools gave back reaches the model.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { CONVERSATIONS } from '../support/sdk/tool-conversation.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'

setDefaultTimeout(60_000)

let sandbox: ReturnType<typeof startSandboxServer>
let gateway: Gateway
let key: string
beforeAll(async () => {
  sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false })
  gateway = await startGateway({ config: configOfDialects(sandbox.url, 'sandbox-text') })
  key = (await newKey(gateway, '1000')).secret
})
afterAll(async () => {
  await gateway.stop()
  await sandbox.stop()
})

const CALLS = [
  { name: 'tide_height', arguments: { port: 'Brest' } },
  { name: 'tide_height', arguments: { port: 'Cork' } },
  { name: 'wind', arguments: { port: 'Cork' } },
]
const PROMPT = `Think 5 words. ${CALLS.map((call) => `Call ${call.name} with ${JSON.stringify(call.arguments)}`).join(', ')}.`
const OUTCOMES = [{ text: '5.1 m 🙂' }, { text: '4.2 m' }, { text: 'station offline', failed: true }]

const PAIRS = TEXT_DIALECT_IDS.flatMap((client) => TEXT_DIALECT_IDS.map((upstream) => [client, upstream] as const))

describe.each(PAIRS)('%s client, %s upstream', (client: TextDialectId, upstream: TextDialectId) => {
  test.each([['unstreamed'], ['streamed']])('%s', async (how) => {
    const told = await CONVERSATIONS[client](
      { origin: gateway.url, key, model: `over-${upstream}`, streamed: how === 'streamed', prompt: PROMPT },
      (_, index) => OUTCOMES[index] ?? { text: 'a call too many' },
    )
    expect(told.calls).toEqual(CALLS)
    expect(told.text).toContain('The tool tide_height returned: 5.1 m 🙂')
    expect(told.text).toContain('The tool tide_height returned: 4.2 m')
    expect(told.text).toMatch(/The tool wind (failed: station offline|returned: ERROR: station offline)/)
    expect(told.text).not.toContain('a call too many')
  })
})
