// kill -9 in the middle of streamed chains, again and again: every response that a client saw complete can be continued.
import { afterAll, expect, test } from 'bun:test'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { openaiAt, respondTo, spoken } from '../support/sdk/chained.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'
import { startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

const KILLS = 10
const CHAINS = 6
const upstream = startRecordingSandbox()
afterAll(() => upstream.stop())

type Seen = { id: string; history: string[] }

/** Turns of one chain, until the gateway dies. What ended in full is added to `seen`. */
async function converse(gateway: Gateway, secret: string, chain: number, seen: Seen[]): Promise<void> {
  const client = openaiAt(gateway.url, secret)
  let last: Seen | undefined
  for (let turn = 0; ; turn++) {
    // Different lengths, so that a kill meets the chains in different states. Every other one is not streamed.
    const input = `Say ${2 + ((chain * 7 + turn * 3) % 23)} words: chain ${chain}, turn ${turn}.`
    const model = chain % 3 === 0 ? 'over-responses' : 'over-chat'
    const chained = last ? { previous_response_id: last.id } : {}
    const answer = await respondTo(client, chain % 2 === 0, { model, input, ...chained }).catch(() => undefined)
    // A machine that stalls for seconds may have stored nothing, which the response says.
    if (answer?.status !== 'completed' || answer.store !== true) return
    last = {
      id: answer.id,
      history: [...(last?.history ?? []), `user: ${input}`, `assistant: ${answer.output_text}`],
    }
    seen.push(last)
  }
}

test.each(
  ENGINES.map((engine) => [engine] as const),
)('on %s: what was seen complete is continued after a kill', async (engine) => {
  let gateway = await startGateway({ engine, config: configOfDialects(upstream.origin, 'sandbox-text') })
  const { home } = gateway
  try {
    const { secret, rows } = await newKey(gateway, '1000')
    let continued = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const seen: Seen[] = []
      const talking = Array.from({ length: CHAINS }, (_, chain) => converse(gateway, secret, chain, seen))
      const least = CHAINS + kill
      while (seen.length < least) await Bun.sleep(1)
      // At any moment of a turn, which takes a few milliseconds.
      await Bun.sleep((kill * 7) % 11)
      await gateway.kill()
      await Promise.all(talking)
      gateway = await startGateway({ home })
      const client = openaiAt(gateway.url, secret)
      // The last ones are those that the kill may have met.
      for (const { id, history } of seen.slice(-2 * CHAINS)) {
        await respondTo(client, true, { model: 'over-chat', input: 'And?', previous_response_id: id })
        expect(spoken('chat', upstream.last())).toEqual([...history, 'user: And?'])
        continued++
      }
    }
    expect(continued).toBeGreaterThanOrEqual(KILLS * CHAINS)
    expect(new Set((await rows()).map(({ request_id }) => request_id)).size).toBe((await rows()).length)
    expect(await audit(gateway)).toMatchObject({ ok: true })
  } finally {
    await gateway.stop()
  }
}, 300_000)
