// One call, and its checks: the error format of the caller's dialect, no false success, and the ledger.
import { formatUsd } from '../packages/gateway/src/money/amount.ts'
import { cost, type Row } from '../test/support/gateway/accounts.ts'
import { callIn, errorIn, streamErrorIn } from '../test/support/requests/dialect-calls.ts'
import { costOf } from '../torture/check-ledger.ts'
import { type CallResult, readAnswer, textOf } from '../torture/client.ts'
import type { Cell } from './cells.ts'
import { type Expected, limitOf } from './fault.ts'
import type { Reported } from './wire.ts'

export type CellResult = CallResult & {
  hung: boolean
  brokeOff: string | undefined
  type: string
  retryAfter: string | null
}

const PROMPT = 'Say something 北京 🙂'

/** Never throws. `onHeaders`: called when a 200 has arrived. */
export async function sendRequest(
  cell: Pick<Cell, 'client' | 'streamed'> & { id: string },
  limitMs: number,
  { url, secret, onHeaders }: { url: string; secret: string; onHeaders(): void },
): Promise<CellResult> {
  const { client: dialect, streamed, id } = cell
  const signal = AbortSignal.timeout(limitMs)
  const more = dialect === 'chat' && streamed ? { stream_options: { include_usage: true } } : {}
  const called: CellResult = {
    dialect,
    streamed,
    status: undefined,
    requestId: undefined,
    complete: false,
    usage: undefined,
    text: '',
    hung: false,
    brokeOff: undefined,
    type: '',
    retryAfter: null,
  }
  try {
    const response = await callIn(dialect, url, secret, { model: id, streamed, prompt: PROMPT, more, signal })
    called.status = response.status
    called.requestId = response.headers.get('x-request-id') ?? undefined
    called.type = response.headers.get('content-type') ?? ''
    called.retryAfter = response.headers.get('retry-after')
    if (response.status === 200) onHeaders()
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) called.text += decoder.decode(piece, { stream: true })
  } catch (error) {
    called.hung = signal.aborted
    called.brokeOff = String(error)
  }
  // Clients accept any line end.
  called.text = called.text.replace(/\r\n?/g, '\n')
  return { ...called, ...readAnswer(dialect, streamed, called.status === 200 ? called.text : '') }
}

function expectedOf({ fault, client, upstream, streamed }: Cell): Expected {
  const { own } = fault
  const expected = streamed ? fault.streamed : fault.single
  return own && own.dialect === client && client === upstream ? { ...expected, status: own.status } : expected
}

/** All violations. */
export function judge(cell: Cell, called: CellResult, row: Row | undefined, told: Reported | undefined): string[] {
  const expected = expectedOf(cell)
  if (called.hung) return [`still nothing after ${limitOf(cell.fault)} ms`]
  if (called.brokeOff !== undefined) return [`the connection broke: ${called.brokeOff}`]
  const wrong: string[] = []
  const must = (holds: boolean, finding: () => string) => void (holds || wrong.push(finding()))
  const shown = () => JSON.stringify(called.text.slice(-300))
  must(called.status === expected.status, () => `status ${called.status}, not ${expected.status}: ${shown()}`)
  must(row?.outcome === expected.outcome, () => `outcome ${row?.outcome}, not ${expected.outcome}`)
  if (called.status === expected.status)
    wrong.push(...wrongForm(cell, called, expected).map((each) => `${each}: ${shown()}`))
  const { retryAfter } = called
  must(retryAfter === null || /^[1-9]\d{0,4}$/.test(retryAfter), () => `retry-after is ${retryAfter}`)
  if (row) wrong.push(...wrongCost(cell, called, row, expected, told))
  return wrong
}

function wrongForm({ client, streamed }: Cell, called: CellResult, expected: Expected): string[] {
  const { text, complete, type } = called
  try {
    if (expected.status !== 200) {
      errorIn(client, JSON.parse(text))
      return type.startsWith('application/json') ? [] : [`an error of the type ${type}`]
    }
    if (expected.outcome === 'completed') return complete ? [] : ['not complete']
    streamErrorIn(client, text)
    return streamed && !complete ? [] : ['ends in an error, and looks complete']
  } catch (error) {
    return [`not the ${client} form of an error (${error})`]
  }
}

function wrongCost(
  { client, streamed, fault }: Cell,
  called: CellResult,
  row: Row,
  expected: Expected,
  told?: Reported,
): string[] {
  const { input = 0, output = 0 } = row.receipt?.units ?? {}
  const counted = row.receipt?.counted
  const booked = `${row.cost_usd} for ${input} and ${output} tokens${counted ? ` (${counted})` : ''}`
  if (row.shortfall_usd !== '0.00') return [`${row.shortfall_usd} of shortfall`]
  if (row.cost_usd !== cost(input, output)) return [`charged ${booked}`]
  const said = streamed ? textOf(client, called.text) : ''
  if (expected.costs === 'nothing') return row.cost_usd === '0.00' ? [] : [`charged ${booked}, not nothing`]
  if (expected.costs === 'counted') {
    // Counted from bytes: never more tokens than bytes, where the text is known.
    const most = streamed && !fault.garbled ? Buffer.byteLength(said) : Number.POSITIVE_INFINITY
    const isCounted = counted !== undefined && input > 0 && output > 0 && output <= most
    return isCounted ? [] : [`charged ${booked}, not counted for ${said.length} characters`]
  }
  const due = told?.usage ?? called.usage
  if (counted !== undefined || !due || row.cost_usd !== formatUsd(costOf(due)))
    return [`charged ${booked}, reported ${JSON.stringify(due)}`]
  if (called.complete && called.usage && costOf(called.usage) !== costOf(due))
    return [`the client was told ${JSON.stringify(called.usage)}`]
  return !told || fault.garbled || said === told.text ? [] : [`the text became ${JSON.stringify(said)}`]
}
