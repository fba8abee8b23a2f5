// What a translation had to leave out or change. Named in the caller's own words, in a header and on the receipt.

/** Fields of a canonical request that a target may not be able to express. */
export type WarnedField =
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'seed'
  | 'stop'
  | 'logprobs'
  | 'logitBias'
  | 'verbosity'
  | 'tier'
  | 'endUser'
  | 'metadata'
  | 'store'
  | 'cacheKey'
  | 'tools'
  | 'toolChoice'
  | 'parallelCalls'
  | 'format'
  | 'reasoning'
  | 'name'
  | 'turns'
  | 'detail'
  | 'arguments'

/** How each dialect calls these; a field that it does not have needs no name, since its callers cannot send it. */
export type FieldNames = Readonly<Partial<Record<WarnedField, string>>>

/**
 * One word each. `dropped`: the target has no such thing. `changed`: sent in another form, with the same meaning as far
 * as the target allows. `clipped`: brought into the target's range. `off`: switched off for this call.
 * `assumed`: something that was missing was filled in.
 */
export type WarningReason = 'dropped' | 'changed' | 'clipped' | 'off' | 'assumed'

export type Warn = (field: WarnedField, reason: WarningReason) => void

export const HEADER_BYTES = 1_024

/** For a header: in order, each once, as many as fit. Names are the caller's own and may hold anything. */
export function warningHeader(warnings: readonly string[]): string {
  const safe = [...new Set(warnings)].map((warning) => warning.replace(/[^\x21-\x7e]|,/g, '_').slice(0, 200))
  let header = ''
  for (const warning of safe) {
    const longer = header === '' ? warning : `${header}, ${warning}`
    if (longer.length > HEADER_BYTES) break
    header = longer
  }
  return header
}
