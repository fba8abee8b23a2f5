// `upstream test ID`: calls an upstream with each of its keys and in each of its dialects, at the operator's expense.

import { createSandbox } from '@trivium/sandbox/handler.ts'
import type { FileConfig, Upstream } from '../../config/types.ts'
import {
  type Check,
  type CheckedModel,
  checkUpstream,
  MODEL_CHECKS,
  typeAt,
} from '../../upstreams/diagnostics/check-upstream.ts'
import { createSend } from '../../upstreams/send.ts'
import { closestMatch } from '../../yaml/closest-match.ts'
import { CommandError } from '../errors.ts'
import { Report } from '../output.ts'

type Tested = { ok: boolean; upstream: string; kind: string; model: string | null; checks: Check[] }

export async function testUpstream(config: FileConfig, id: string, named: string | undefined): Promise<Report> {
  const upstream = config.upstreams.get(id)
  if (!upstream) throw new CommandError(noSuchUpstream(id, config))
  const routed = routedModels(config, id)
  const model = named === undefined ? routed[0] : modelNamed(routed, upstream, named)
  if (model === undefined && upstream.healthPath === undefined) {
    throw new CommandError(`no model is routed to ${id}: choose one of its models with --model`)
  }
  const send = createSend(createSandbox({ faults: false }))
  const checks = await checkUpstream(send, upstream, model)
  const { kind } = upstream
  const tested = { ok: checks.every(({ ok }) => ok), upstream: id, kind, model: model?.name ?? null, checks }
  return new Report(tested, describeTest(tested, upstream, model))
}

function noSuchUpstream(id: string, { upstreams }: FileConfig): string {
  const guess = closestMatch(id, upstreams.keys())
  const hint = guess ? `did you mean ${guess}?` : `available: ${[...upstreams.keys()].join(', ')}`
  return `unknown upstream '${id}'; ${hint}`
}

/** A routed model: its name here, and what to check. */
type RoutedModel = CheckedModel & { id: string }

/** The cheapest types come first. */
function routedModels({ models }: FileConfig, id: string): RoutedModel[] {
  const tried = [...models.values()].filter(({ type }) => MODEL_CHECKS[type])
  return tried.flatMap((model) => {
    const route = model.routes.find(({ upstream }) => upstream === id)
    return route ? [{ id: model.id, name: route.model, type: model.type }] : []
  })
}

/** `named` may be the name here or at the upstream. */
function modelNamed(routed: readonly RoutedModel[], upstream: Upstream, named: string): CheckedModel {
  const known = routed.find(({ id }) => id === named) ?? routed.find(({ name }) => name === named)
  return known ?? { name: named, type: typeAt(upstream) }
}

function describeTest(
  { upstream, kind, checks }: Tested,
  { baseUrl, keys, healthPath }: Upstream,
  model: CheckedModel | undefined,
): string {
  const what = model ? `model ${model.name}` : `GET ${healthPath}, since no model is routed to it`
  const unit = model && MODEL_CHECKS[model.type]?.cost
  const cost = model ? `Each call costs ${unit} at the vendor; no account is charged here.` : 'This costs nothing.'
  const rows = checks.map(({ key, dialect, ok, latency_ms, answer, problem }) => {
    const who = key === null ? '' : `key ${key} of ${keys.length}  `
    const said = problem ?? (answer === null ? '' : answer === '' ? '(no text within the token limit)' : `"${answer}"`)
    return `  ${who}${dialect.padEnd(16)}  ${ok ? 'ok    ' : 'failed'}  ${String(latency_ms).padStart(5)} ms  ${said}`
  })
  return [`${upstream} (${kind}) at ${baseUrl}: ${what}`, cost, ...rows.map((row) => row.trimEnd()), ''].join('\n')
}
