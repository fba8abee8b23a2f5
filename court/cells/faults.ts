// An upstream that misbehaves: the faults of `npm run faults` that any gateway can be shown. What a client may expect of all
// gateways is less than what Trivium promises: no half answer that looks whole, an error that clients understand, and an end.
import type { Fault } from '../../faults/fault.ts'
import { FAULTS } from '../../faults/table.ts'
import { callIn } from '../../test/support/requests/dialect-calls.ts'
import { readAnswer, textOf } from '../../torture/client.ts'
import { type Cell, DIALECTS, type Dialect, ENDPOINTS, must, NotApplicable, show, type Trial } from '../cell.ts'
import { mustBeErrorOf } from './errors.ts'

/** Addresses without a service and HTTP/2 need upstreams of their own; heavy ones would take the memory of this machine. */
const SHOWN = FAULTS.filter(({ at, heavy }) => ['proxy', 'sandbox', 'deaf'].includes(at) && !heavy)

const LIMIT_MS = 15_000

type Got = { status: number; text: string; broke: boolean }

async function ask(dialect: Dialect, streamed: boolean, { origin, key, model, mark }: Trial): Promise<Got> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const more = dialect === 'chat' && streamed ? { stream_options: { include_usage: true } } : {}
  const got: Got = { status: 0, text: '', broke: false }
  try {
    const prompt = `Say something 北京 🙂 (${mark}).`
    const response = await callIn(dialect, origin, key, { model, streamed, prompt, more, signal })
    got.status = response.status
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) got.text += decoder.decode(piece, { stream: true })
  } catch {
    must(!signal.aborted, () => `no end within ${LIMIT_MS / 1_000} s`)
    got.broke = true
  }
  got.text = got.text.replace(/\r\n?/g, '\n')
  return got
}

function judge(dialect: Dialect, streamed: boolean, fault: Fault, got: Got, vendorText: string): void {
  const { status, outcome } = streamed ? fault.streamed : fault.single
  const { complete } = readAnswer(dialect, streamed, got.status === 200 ? got.text : '')
  if (outcome === 'completed') {
    must(
      got.status === 200 && complete && !got.broke,
      () => `a whole answer became ${got.status} ${show(got.text.slice(-200))}`,
    )
    const text = textOf(dialect, got.text)
    const isSame = !streamed || fault.garbled || vendorText === '' || text === vendorText
    must(isSame, () => `the text ${show(vendorText)} became ${show(text)}`)
    return
  }
  // Whoever calls notices a broken connection, and a half answer that ends with it.
  if (got.broke) return
  if (got.status >= 400) {
    mustBeErrorOf(dialect, got.text)
    return
  }
  must(got.status === 200, () => `status ${got.status}`)
  must(streamed, () => `200 for a broken answer: ${show(got.text.slice(-200))}`)
  must(!complete, () => `a broken stream looks whole${status === 200 ? '' : ', and there was no output yet'}`)
  const says = /"error"|response\.failed/.test(got.text)
  must(says, () => `the stream just ends: ${show(got.text.slice(-200))}`)
}

export const FAULT_CELLS: readonly Cell[] = SHOWN.flatMap((fault) =>
  DIALECTS.flatMap((dialect) =>
    [true, false].map(
      (streamed): Cell => ({
        area: 'faults',
        dialect,
        client: 'HTTP',
        endpoint: ENDPOINTS[dialect],
        name: `${fault.timeouts ? 'timeout: ' : ''}${fault.name}, ${streamed ? 'streamed' : 'in one piece'}`,
        model: 'text',
        needsVendor: true,
        oneModel: true,
        async run(trial) {
          trial.vendor?.breakFor(trial.mark, fault)
          const got = await ask(dialect, streamed, trial)
          const [called] = trial.vendor?.callsOf(trial.mark) ?? []
          must(called !== undefined, () => `the request did not reach the vendor: ${got.status} ${show(got.text)}`)
          if (fault.only?.includes(called.dialect) === false) throw new NotApplicable()
          judge(dialect, called.streamed && streamed, fault, got, called.text)
        },
      }),
    ),
  ),
)
