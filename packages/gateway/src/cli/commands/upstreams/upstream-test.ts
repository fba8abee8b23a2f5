// `upstream test ID`, for people.
import type { Tested } from '../../../operate/upstreams/test.ts'
import { MODEL_CHECKS } from '../../../upstreams/diagnostics/check-upstream.ts'

export function showTest(result: unknown): string {
  const tested = result as Tested
  const { upstream, kind, base_url, keys, model, type, health_path, checks, not_tested } = tested
  const what = model ? `model ${model}` : `GET ${health_path}, since no model is routed to it`
  const unit = type && MODEL_CHECKS[type]?.cost
  const cost = model ? `Each call costs ${unit} at the vendor; no account is charged here.` : 'This costs nothing.'
  const rows = checks.map(({ key, dialect, mode, ok, latency_ms, answer, problem }) => {
    const who = key === null ? '' : `key ${key} of ${keys}  `
    const said = problem ?? (answer === null ? '' : answer === '' ? '(no text within the token limit)' : `"${answer}"`)
    const how = mode === 'streamed' ? 'streamed ' : ''
    return `  ${who}${dialect.padEnd(16)}  ${ok ? 'ok    ' : 'failed'}  ${String(latency_ms).padStart(5)} ms  ${how}${said}`
  })
  const left = not_tested > 0 && checks.length > 0 ? [`${not_tested} further calls were not made.`] : []
  const lines = [`${upstream} (${kind}) at ${base_url}: ${what}`, cost, ...sums(tested), ...rows, ...left]
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

function sums({ model, calls, checks, cost_at_most_usd, cost_usd, unknown_costs, booked }: Tested): string[] {
  if (!model) return []
  const most = cost_at_most_usd === null ? 'not known, since the model has no price here' : `${cost_at_most_usd} USD`
  if (checks.length === 0) return [`A test makes ${calls} calls, which cost at most: ${most}.`]
  const unknown = unknown_costs > 0 ? `; of ${unknown_costs} calls it is not known` : ''
  const where = booked ? ', booked to the ledger account tests' : ''
  return [`Cost: ${cost_usd === null ? 'not known' : `${cost_usd} USD${where}${unknown}`}.`]
}
