// What a translation had to leave out or change. Named in the caller's own words, in a header and on the receipt.
import { shortText } from './utf8.ts'

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
  | 'cacheRetention'
  | 'cacheOptions'
  | 'cacheMark'
  | 'cacheBreakpoint'
  | 'tools'
  | 'toolChoice'
  | 'parallelCalls'
  | 'format'
  | 'reasoning'
  | 'reasoningSummary'
  | 'name'
  | 'fileName'
  | 'pastReasoning'
  | 'turns'
  | 'detail'
  | 'arguments'
  | 'webSearch'
  | 'searchContextSize'
  | 'searchLocation'
  | 'searchAllowedDomains'
  | 'searchBlockedDomains'
  | 'searchMaxUses'

/** How each dialect calls these; a field that it does not have needs no name, since its callers cannot send it. */
export type FieldNames = Readonly<Partial<Record<WarnedField, string>>>

/**
 * One word each. `dropped`: the target has no such thing. `changed`: sent in another form, with the same meaning as far
 * as the target allows. `clipped`: brought into the target's range. `off`: switched off for this call.
 * `assumed`: something that was missing was filled in. `ignored`: sent, and the server ignores it.
 */
export type WarningReason = 'dropped' | 'changed' | 'clipped' | 'off' | 'assumed' | 'ignored'

export type Warn = (field: WarnedField, reason: WarningReason) => void

export const MOST_WARNINGS = 32
/** Stands last where there were more warnings than are kept or shown. */
export const WARNINGS_CUT = 'warnings;cut'

/**
 * The one way into a list of warnings: names are the caller's or the upstream's and may have any length and number, and
 * the list outlives the request on its receipt.
 */
export function addWarning(warnings: string[], name: string, reason: string): void {
  if (warnings.length > MOST_WARNINGS) return
  const warning = `${shortText(name)};${reason}`
  if (warnings.includes(warning)) return
  warnings.push(warnings.length < MOST_WARNINGS ? warning : WARNINGS_CUT)
}

export const HEADER_BYTES = 1_024
const FOLLOWED_BY_MARK = HEADER_BYTES - `, ${WARNINGS_CUT}`.length

/** For a header: in order, each once, as many as fit, and a mark for the others. */
export function warningHeader(warnings: readonly string[]): string {
  const safe = [...new Set(warnings)].map((warning) => warning.replace(/[^\x21-\x7e]|,/g, '_'))
  const whole = safe.join(', ')
  if (whole.length <= HEADER_BYTES) return whole
  let header = ''
  for (const warning of safe) {
    const longer = header === '' ? warning : `${header}, ${warning}`
    if (longer.length > FOLLOWED_BY_MARK) break
    header = longer
  }
  return `${header}, ${WARNINGS_CUT}`
}
