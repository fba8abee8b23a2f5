// Twelve agents on a balance of 10 USD: their holds must leave room for each other, however long past responses were.
import { formatUsd } from '../../packages/gateway/src/money/amount.ts'
import { compareWallet, nanos, type Price, type WalletCalls } from '../check-ledger.ts'
import { type CallResult, call } from '../client.ts'
import type { Scenario, Torture } from '../scenario.ts'
import { configForSandbox, newWallet, startGateways, startSandbox, type Wallet } from '../setup.ts'
import { SIZES } from '../sizes.ts'

const STREAMS = 12
const BODY_BYTES = 76_000
const TOOLS = 24
const MOST_TOKENS = 64_000
const PRICE: Price = { input: 5n, output: 25n }
/** A word of the sandbox is about six bytes, a token four. */
const ANSWER = 'say 1200 words, pace 0 ms'
const LONG_ANSWER = 'say 30000 words, pace 0 ms'

export const agents: Scenario = {
  name: 'agents',
  title: '12 parallel streams of agents on 10 USD, also after responses of tens of thousands of tokens',
  async run(torture) {
    const { findings, size } = torture
    const rounds = torture.rounds ?? SIZES[size].agentRounds
    const sandbox = startSandbox()
    const [gateway] = await startGateways('sqlite', 1, configForSandbox(sandbox.url, 'price: { input: 5, output: 25 }'))
    if (!gateway) throw new Error('no gateway')
    const afresh = async () => {
      const sent: WalletCalls = { wallet: await newWallet(gateway, '10'), seen: [] }
      sent.seen.push(...(await Promise.all(Array.from({ length: STREAMS }, () => agentAsks(gateway.url, sent.wallet)))))
      for (const seen of sent.seen) checkServed(seen, torture)
      const rows = await compareWallet(gateway, sent, findings, PRICE)
      const stopped = rows.filter(({ outcome }) => outcome !== 'completed').map(({ outcome }) => outcome)
      findings.must(stopped.length === 0, `agents were stopped: ${stopped.join(', ')}`)
      return rows.reduce((sum, row) => sum + nanos(row.cost_usd), 0n)
    }
    try {
      let spent = 0n
      for (let round = 0; round < rounds; round++) spent += await afresh()
      const learned = await learnLongAnswers(gateway.url, await newWallet(gateway, '1000'), SIZES[size].longResponses)
      findings.must(learned > 30_000, `the long responses had only ${learned} tokens`)
      for (let round = 0; round < rounds && findings.all.length === 0; round++) spent += await afresh()
      const each = formatUsd(spent / BigInt(2 * rounds * STREAMS))
      return `${2 * rounds} rounds of ${STREAMS} streams, ${each} USD each, half of them after answers of ${learned} tokens`
    } finally {
      await gateway.stop()
      await sandbox.stop()
    }
  },
}

function checkServed({ status, complete, text }: CallResult, { findings }: Torture): void {
  findings.must(status === 200, `an agent got ${status}: ${text.slice(0, 200)}`)
  findings.must(status !== 200 || complete, 'an agent got an incomplete response')
}

function agentAsks(origin: string, { secrets }: Wallet, prompt = ANSWER): Promise<CallResult> {
  const more = { max_tokens: MOST_TOKENS, tools: toolbox(), system: instructions() }
  return call('messages', origin, secrets[0] ?? '', { model: 'over-messages', streamed: true, prompt, more })
}

/** Returns the tokens of the last response. */
async function learnLongAnswers(origin: string, wallet: Wallet, count: number): Promise<number> {
  let tokens = 0
  for (let index = 0; index < count; index++) {
    tokens = (await agentAsks(origin, wallet, LONG_ANSWER)).usage?.output ?? 0
  }
  return tokens
}

function toolbox(): object[] {
  return Array.from({ length: TOOLS }, (_, index) => ({
    name: `tool_${index}`,
    description: 'Does one thing to the files of a project, and says what it did. '.repeat(20),
    input_schema: { type: 'object', properties: { path: { type: 'string', description: 'Where it is done.' } } },
  }))
}

function instructions(): { type: 'text'; text: string }[] {
  const left = BODY_BYTES - JSON.stringify(toolbox()).length
  return [{ type: 'text', text: 'Work carefully, and read before you write. '.repeat(Math.ceil(left / 43)) }]
}
