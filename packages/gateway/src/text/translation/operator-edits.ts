// What the operator of a route changes in its requests: the last thing before a request is sent, whether it passed through or was
// translated. Options with a price are charged as if the caller had asked for them.

import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { EchoedField } from '@trivium/protocol/dialects/pass-through.ts'
import { applyOperatorEdits } from '@trivium/protocol/dialects/shared/pass-through/operator-edits.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { codec } from '../../bytes/codec.ts'
import type { DialectEdits, HeaderEdits } from '../../modalities/route-edits.ts'
import type { PricedOptions } from '../../money/prices/token-price.ts'
import { lesser } from '../billing/bounds.ts'
import { bodyOf, type PlannedAttempt } from '../request.ts'
import type { Outbound } from './outbound.ts'
import { isServiceTier, optionsOf } from './tenant-policy.ts'

const editsFor = ({ candidate }: PlannedAttempt, sent: TextDialectId): DialectEdits | undefined =>
  candidate.route.edits?.byDialect[sent]

/** The operator's output cap of each choice. undefined: it is the caller's. */
export function routeCap(planned: PlannedAttempt, sent: TextDialectId): number | undefined {
  const { set, default: usual } = editsFor(planned, sent)?.cap ?? {}
  return set ?? (planned.request.parsed.maxOutput === undefined ? usual : undefined)
}

export function withOperatorEdits(outbound: Outbound, planned: PlannedAttempt): Outbound {
  const { dialect } = outbound
  const edits = editsFor(planned, dialect)
  const { editable } = TEXT_DIALECTS[dialect]
  const headers = planned.candidate.route.edits?.written.headers
  if (!edits || !editable) return outbound
  warnOfChanges(planned, outbound, edits)
  const cap = routeCap(planned, dialect)
  // A translation has it already.
  const ownCap = outbound.encoded ? undefined : cap
  const edited = (pieces: Pieces): Pieces => [applyOperatorEdits(Buffer.concat(pieces), edits.body, editable, codec)]
  return {
    dialect,
    path: outbound.path,
    headers: headers ? withHeaders(outbound.headers, headers) : outbound.headers,
    maxOutput: outbound.maxOutput ?? cap,
    options: pricedOptions(outbound.options, edits, planned),
    answerer: outbound.answerer,
    body(loweredCap, cancel, slot) {
      const body = outbound.body(lesser(loweredCap, ownCap), cancel, slot)
      return body instanceof Promise ? body.then(edited) : edited(body)
    },
    release: () => outbound.release?.(),
    without(rejection) {
      const corrected = outbound.without(rejection)
      return corrected && withOperatorEdits(corrected, planned)
    },
  }
}

function withHeaders(own: Outbound['headers'], { set, default: usual, drop = [] }: HeaderEdits): Outbound['headers'] {
  const kept = Object.entries(own).filter(([name]) => !drop.includes(name))
  return { ...usual, ...Object.fromEntries(kept), ...set }
}

/** Without what the caller asked for in these fields, and with what the operator does. */
function pricedOptions(
  own: PricedOptions,
  { priced, replaced }: DialectEdits,
  { request, offer }: PlannedAttempt,
): PricedOptions {
  if (replaced.length === 0) return own
  const asked = request.parsed.priced.filter(({ field }) => replaced.includes(field))
  const isAsked = (word: string) => asked.some((each) => each.word === word)
  const added = optionsOf(priced, offer.rate.price)
  const isTierReplaced = replaced.some((field) => isServiceTier({ kind: 'tier', field }))
  const tools = [...own.tools].filter(([word]) => !isAsked(word))
  return {
    tier: isTierReplaced ? added.tier : own.tier,
    also: [...new Set([...own.also.filter((word) => !isAsked(word)), ...added.also])],
    tools: new Map([...tools, ...added.tools]),
  }
}

/** Names what of the caller's request is not sent as it is. */
function warnOfChanges(planned: PlannedAttempt, { dialect, encoded }: Outbound, { body, cap }: DialectEdits): void {
  const { request, warnings } = planned
  const { parsed } = request
  if (cap.set !== undefined && parsed.maxOutput !== undefined && parsed.maxOutput !== cap.set)
    addWarning(warnings, parsed.capField, 'changed')
  const names = [...Object.keys(body.set ?? {}), ...(body.drop ?? [])]
  if (names.length === 0) return
  const own = bodyOf(request)
  const added = TEXT_DIALECTS[dialect].endUserField(planned.candidate.upstream.service)
  for (const name of names) {
    const isSent = has(own, name) || (encoded !== undefined && name !== added && has(encoded, name))
    if (isSent) addWarning(warnings, name, body.drop?.includes(name) ? 'dropped' : 'changed')
  }
}

const has = (body: Readonly<Record<string, unknown>>, name: string): boolean => {
  const [outer = '', inner] = name.split('.', 2)
  const value = body[outer] ?? undefined
  if (inner === undefined || value === undefined) return value !== undefined
  return typeof value === 'object' && Object.hasOwn(value, inner)
}

/** Responses of one dialect repeat the request: they show what the caller sent, and nothing that the operator added. */
export function echoOfEdits(planned: PlannedAttempt, sent: TextDialectId): EchoedField[] {
  const edits = editsFor(planned, sent)
  if (!edits) return []
  const { set, default: usual, drop = [], system } = edits.body
  const changed = [...Object.keys({ ...set, ...usual }), ...drop, ...(system ? ['instructions'] : [])]
  const capped = Object.keys(edits.cap).length > 0 ? [planned.request.parsed.capField] : []
  const own = bodyOf(planned.request)
  const names = new Set([...changed.map((name) => name.split('.', 1)[0] ?? name), ...capped])
  const known = TEXT_DIALECTS[sent].editable?.fields ?? {}
  return [...names].map((name) => {
    const echo = { name, json: JSON.stringify(own[name] ?? null) }
    return Object.hasOwn(known, name) ? { ...echo, always: true as const } : echo
  })
}
