// kill -9 in the middle of streamed chains, again and again: every response that a client saw complete can be continued.
import { isDeepStrictEqual } from 'node:util'
import { audit, newKey } from '../../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../../test/support/gateway/gateway.ts'
import type { Engine } from '../../../test/support/gateway/home.ts'
import { openaiAt, respondTo, spoken } from '../../../test/support/sdk/chained.ts'
import { configOfDialects } from '../../../test/support/upstreams/recorded-upstream.ts'
import { startRecordingSandbox } from '../../../test/support/upstreams/recording-sandbox.ts'
import type { Scenario, Torture } from '../../scenario.ts'
import { SIZES } from '../../sizes.ts'

const CHAINS = 6
/** A turn takes a few milliseconds. */
const LONGEST_MS = 10

const scenario = (engine: Engine): Scenario => ({
  name: `crash-conversations-${engine}`,
  title: `kill -9 in the middle of chains of responses, on ${engine}`,
  run: (torture) => run(engine, torture),
})
export const crashConversationsSqlite = scenario('sqlite')
export const crashConversationsPostgres = scenario('postgres')

type Seen = { id: string; history: string[] }

async function run(engine: Engine, torture: Torture): Promise<string> {
  const { random, findings, say } = torture
  const kills = torture.rounds ?? SIZES[torture.size].conversationKills
  const upstream = startRecordingSandbox()
  let gateway = await startGateway({ engine, config: configOfDialects(upstream.origin, 'sandbox-text') })
  const { home } = gateway
  try {
    const { secret, rows } = await newKey(gateway, '1000')
    let continued = 0
    for (let kill = 1; kill <= kills && findings.all.length === 0; kill++) {
      const seen: Seen[] = []
      const talking = Array.from({ length: CHAINS }, (_, chain) => converse(gateway, secret, chain, seen))
      const least = CHAINS + random.between(0, CHAINS)
      while (seen.length < least) await Bun.sleep(1)
      // At any moment of a turn.
      await Bun.sleep(random.between(0, LONGEST_MS))
      await gateway.kill()
      await Promise.all(talking)
      gateway = await startGateway({ home })
      const client = openaiAt(gateway.url, secret)
      // The last ones are those that the kill may have met.
      for (const { id, history } of seen.slice(-2 * CHAINS)) {
        await respondTo(client, true, { model: 'over-chat', input: 'And?', previous_response_id: id })
        const said = spoken('chat', upstream.last())
        const isWhole = isDeepStrictEqual(said, [...history, 'user: And?'])
        findings.must(isWhole, () => `kill ${kill}: ${id} was continued as ${JSON.stringify(said)}`)
        continued++
      }
      if (kill % 10 === 0 || kill === kills) say(`  ${kill} of ${kills} kills, ${continued} continued`)
    }
    findings.must(continued >= kills * CHAINS, `only ${continued} responses were continued`)
    const ids = (await rows()).map(({ request_id }) => request_id)
    findings.must(new Set(ids).size === ids.length, 'a request is in the usage twice')
    findings.must((await audit(gateway)).ok, 'the audit finds mistakes')
    return `${kills} kills, ${continued} responses continued`
  } finally {
    await gateway.stop()
    upstream.stop()
  }
}

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
