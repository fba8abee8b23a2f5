// Upstreams: what this process knows of their health, and checks with real calls at the operator's expense.

import { createSandbox } from '@trivium/sandbox/handler.ts'
import type { Static } from 'typebox'
import type { FileConfig, Upstream } from '../config/types.ts'
import { fields, NOTHING, optional, text } from '../request/schema/schema.ts'
import { type CheckedModel, checkUpstream, MODEL_CHECKS, typeAt } from '../upstreams/diagnostics/check-upstream.ts'
import type { KeyReport } from '../upstreams/health/health.ts'
import { createSend } from '../upstreams/send.ts'
import type { HttpVersion } from '../upstreams/transport.ts'
import { closestMatch } from '../yaml/closest-match.ts'
import { auditEntry, operation } from './operation.ts'
import { rejected } from './rejections.ts'

/** Only a running server knows anything. */
export const showUpstreamState = operation({
  name: 'upstream state',
  permission: 'see',
  input: NOTHING,
  async run({ config, health, httpVersionOf }): Promise<Record<string, UpstreamState>> {
    const now = performance.now()
    const states = [...config.upstreams.values()].map(
      (upstream) =>
        [upstream.id, { keys: health?.report(upstream, now) ?? [], http: httpVersionOf?.(upstream) ?? null }] as const,
    )
    return Object.fromEntries(states)
  },
})

export type UpstreamState = { keys: readonly KeyReport[]; http: HttpVersion | null }

const TEST = fields({
  upstream: text({ min: 0, max: 200 }),
  /** Its name here or at the upstream; absent: the first that is routed to it. */
  model: optional(text({ min: 0, max: 300 })),
})

/** Calls an upstream with each of its keys and in each of its dialects. */
export const testUpstream = operation({
  name: 'upstream test',
  permission: 'configuration',
  input: TEST,
  async run({ actor, storage, config }, input) {
    const tested = await checkConfigured(config, input)
    const after = { model: tested.model, ok: tested.ok }
    await storage.auditLog.add(auditEntry(actor, 'upstream test', { object: `upstream/${input.upstream}`, after }))
    return tested
  },
})

/** The same without a store: a gateway that does not run yet has none. */
export async function checkConfigured(config: FileConfig, { upstream: id, model: named }: Static<typeof TEST>) {
  const upstream = config.upstreams.get(id)
  if (!upstream) throw rejected('unknown_upstream', { upstream: id, hint: hintFor(id, config) })
  const routed = routedModels(config, id)
  const model = named === undefined ? routed[0] : modelNamed(routed, upstream, named)
  if (model === undefined && upstream.healthPath === undefined)
    throw rejected('no_routed_model', { field: 'model', upstream: id })
  const checks = await checkUpstream(createSend(createSandbox({ faults: false })), upstream, model)
  const ok = checks.every((check) => check.ok)
  return { ok, upstream: id, kind: upstream.kind, model: model?.name ?? null, type: model?.type ?? null, checks }
}

function hintFor(id: string, { upstreams }: FileConfig): string {
  const guess = closestMatch(id, upstreams.keys())
  return guess ? `did you mean ${guess}?` : `available: ${[...upstreams.keys()].join(', ')}`
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
