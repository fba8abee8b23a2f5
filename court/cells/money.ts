// What the vendor counted, beside what the client was told and what the gateway charged.

import { FAULTS } from '../../faults/table.ts'
import { callIn, readUntil } from '../../test/support/requests/dialect-calls.ts'
import { readAnswer, type Tokens } from '../../torture/client.ts'
import { type Cell, DIALECTS, ENDPOINTS, must, NotApplicable, show, type Trial } from '../cell.ts'
import { PRICE } from '../vendor/vendor.ts'

const PROMPTS: readonly (readonly [name: string, prompt: string])[] = [
  ['text', 'Say 20 words'],
  ['reasoning', 'Think 30 words. Say 10 words'],
]
const MICRO = 1e6
/** Gateways round in their own ways: a hundredth of a cent is none of it. */
const TOLERANCE = 0.02

const usdOf = ({ input, output }: Tokens): number => (input * PRICE.input + output * PRICE.output) / MICRO

function countedFor({ vendor, mark }: Trial): Tokens {
  const calls = vendor?.callsOf(mark) ?? []
  must(calls.length === 1, () => `the vendor got ${calls.length} requests for one`)
  const usage = calls[0]?.usage
  must(usage !== undefined, () => 'the vendor counted nothing')
  return usage
}

/** Compares money, if it is known how this gateway tells it. `rule`: what may be charged, by what was counted. */
async function compareCharge(trial: Trial, rule: (charged: number) => boolean, due: string): Promise<void> {
  const charged = await trial.charged?.(trial.exchanges)
  if (charged === undefined) throw new NotApplicable()
  must(rule(charged), () => `charged ${charged.toFixed(8)} USD, and ${due} is due`)
}

export const MONEY: readonly Cell[] = DIALECTS.flatMap((dialect) =>
  [false, true].flatMap((streamed): Cell[] => {
    const form = streamed ? 'streamed' : 'in one piece'
    const common = {
      area: 'money',
      dialect,
      client: 'HTTP',
      endpoint: ENDPOINTS[dialect],
      model: 'text',
      needsVendor: true,
      alone: true,
    } as const
    const ask = async (trial: Trial, prompt: string, { told = true, signal = trial.signal } = {}) => {
      const more = dialect === 'chat' && streamed && told ? { stream_options: { include_usage: true } } : {}
      const { origin, key, model, mark } = trial
      return await callIn(dialect, origin, key, { model, streamed, prompt: `${prompt} (${mark}).`, more, signal })
    }
    const whole = PROMPTS.flatMap(([name, prompt]): Cell[] => [
      {
        ...common,
        name: `the client is told what the vendor counted: ${name}, ${form}`,
        async run(trial) {
          const response = await ask(trial, prompt)
          const { usage } = readAnswer(dialect, streamed, (await response.text()).replace(/\r\n?/g, '\n'))
          const counted = countedFor(trial)
          const isSame = usage?.input === counted.input && usage.output === counted.output
          must(isSame, () => `told ${show(usage)}, counted ${show(counted)}`)
        },
      },
      {
        ...common,
        name: `charged is what the vendor counted: ${name}, ${form}`,
        async run(trial) {
          await (await ask(trial, prompt)).text()
          const due = usdOf(countedFor(trial))
          const isRight = (charged: number) => Math.abs(charged - due) <= due * TOLERANCE
          await compareCharge(trial, isRight, due.toFixed(8))
        },
      },
    ])
    const failed: Cell = {
      ...common,
      name: `nothing is charged for what the vendor rejects, ${form}`,
      async run(trial) {
        const rejecting = FAULTS.find(({ name }) => name === 'status=500')
        if (rejecting) trial.vendor?.breakFor(trial.mark, rejecting)
        await (await ask(trial, 'Say 20 words')).text()
        await compareCharge(trial, (charged) => charged === 0, 'nothing')
      },
    }
    if (!streamed) return [...whole, failed]
    const leaving: Cell = {
      ...common,
      name: 'a client that leaves pays for what it got, and for no more than the whole',
      async run(trial) {
        const left = new AbortController()
        const response = await ask(trial, 'say 400 words, pace 20 ms', { signal: left.signal })
        await readUntil(response, dialect === 'generate-content' ? '"text"' : 'delta')
        left.abort()
        const due = usdOf(countedFor(trial))
        await compareCharge(
          trial,
          (charged) => charged > 0 && charged < due,
          `more than nothing, less than ${due.toFixed(8)}`,
        )
      },
    }
    if (dialect !== 'chat') return [...whole, failed, leaving]
    const untold: Cell = {
      ...common,
      name: 'a stream whose client does not ask for usage is charged as counted',
      async run(trial) {
        await (await ask(trial, 'Say 20 words', { told: false })).text()
        const due = usdOf(countedFor(trial))
        await compareCharge(trial, (charged) => Math.abs(charged - due) <= due * TOLERANCE, due.toFixed(8))
      },
    }
    return [...whole, failed, leaving, untold]
  }),
)
