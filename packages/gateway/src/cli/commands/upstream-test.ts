// `upstream test ID`: calls an upstream with each of its keys and in each of its dialects, at the operator's expense.

import { createSandbox } from '@trivium/sandbox/handler.ts'
import { closestMatch } from '../../config/closest-match.ts'
import type { FileConfig, Upstream } from '../../config/types.ts'
import { type Check, checkUpstream } from '../../upstreams/diagnostics/check-upstream.ts'
import { createSend } from '../../upstreams/send.ts'
import { CommandError } from '../errors.ts'
import { Report } from '../output.ts'

type Tested = { ok: boolean; upstream: string; kind: string; model: string | null; checks: Check[] }

export async function testUpstream(config: FileConfig, id: string, named: string | undefined): Promise<Report> {
  const upstream = config.upstreams.get(id)
  if (!upstream) throw new CommandError(noSuchUpstream(id, config))
  const model = named === undefined ? firstModel(config, id) : nameThere(config, id, named)
  if (model === undefined && upstream.healthPath === undefined) {
    throw new CommandError(`no model is routed to ${id}: choose one of its models with --model`)
  }
  const send = createSend(createSandbox({ faults: false }))
  const checks = await checkUpstream(send, upstream, model)
  const tested = { ok: checks.every(({ ok }) => ok), upstream: id, kind: upstream.kind, model: model ?? null, checks }
  return new Report(tested, describeTest(tested, upstream))
}

function noSuchUpstream(id: string, { upstreams }: FileConfig): string {
  const guess = closestMatch(id, upstreams.keys())
  const hint = guess ? `did you mean ${guess}?` : `available: ${[...upstreams.keys()].join(', ')}`
  return `unknown upstream '${id}'; ${hint}`
}

function firstModel({ models }: FileConfig, id: string): string | undefined {
  const routes = [...models.values()].flatMap((model) => model.routes)
  return routes.find(({ upstream }) => upstream === id)?.model
}

/** The model's name at the upstream; `named` may be the name here or at the upstream. */
function nameThere({ models }: FileConfig, id: string, named: string): string {
  return models.get(named)?.routes.find(({ upstream }) => upstream === id)?.model ?? named
}

function describeTest({ upstream, kind, model, checks }: Tested, { baseUrl, keys, healthPath }: Upstream): string {
  const what = model === null ? `GET ${healthPath}, since no model is routed to it` : `model ${model}`
  const cost =
    model === null ? 'This costs nothing.' : 'Each call costs a few tokens at the vendor; no account is charged here.'
  const rows = checks.map(({ key, dialect, ok, latency_ms, answer, problem }) => {
    const who = key === null ? '' : `key ${key} of ${keys.length}  `
    const said = problem ?? (answer === null ? '' : answer === '' ? '(no text within the token limit)' : `"${answer}"`)
    return `  ${who}${dialect.padEnd(16)}  ${ok ? 'ok    ' : 'failed'}  ${String(latency_ms).padStart(5)} ms  ${said}`
  })
  return [`${upstream} (${kind}) at ${baseUrl}: ${what}`, cost, ...rows.map((row) => row.trimEnd()), ''].join('\n')
}
