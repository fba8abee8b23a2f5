// `upstream test ID`. It needs no database: the configuration may be one that no server has used yet.
import { checkConfigured } from '../../administration/upstreams.ts'
import type { FileConfig, Upstream } from '../../config/types.ts'
import { MODEL_CHECKS } from '../../upstreams/diagnostics/check-upstream.ts'
import { Report } from '../output.ts'

type Tested = Awaited<ReturnType<typeof checkConfigured>>

export async function testUpstream(config: FileConfig, id: string, model: string | undefined): Promise<Report> {
  const tested = await checkConfigured(config, { upstream: id, ...(model === undefined ? {} : { model }) })
  const upstream = config.upstreams.get(id)
  return new Report(tested, upstream ? describeTest(tested, upstream) : '')
}

function describeTest(
  { upstream, kind, model, type, checks }: Tested,
  { baseUrl, keys, healthPath }: Pick<Upstream, 'baseUrl' | 'keys' | 'healthPath'>,
): string {
  const what = model ? `model ${model}` : `GET ${healthPath}, since no model is routed to it`
  const unit = type && MODEL_CHECKS[type]?.cost
  const cost = model ? `Each call costs ${unit} at the vendor; no account is charged here.` : 'This costs nothing.'
  const rows = checks.map(({ key, dialect, ok, latency_ms, answer, problem }) => {
    const who = key === null ? '' : `key ${key} of ${keys.length}  `
    const said = problem ?? (answer === null ? '' : answer === '' ? '(no text within the token limit)' : `"${answer}"`)
    return `  ${who}${dialect.padEnd(16)}  ${ok ? 'ok    ' : 'failed'}  ${String(latency_ms).padStart(5)} ms  ${said}`
  })
  return [`${upstream} (${kind}) at ${baseUrl}: ${what}`, cost, ...rows.map((row) => row.trimEnd()), ''].join('\n')
}
