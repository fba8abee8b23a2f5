// Fields that an upstream's model has refused although its dialect has them: some models take no temperature, some
// services know no end users. Learned from the refusal, so that only the first request pays for it with a second try.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'

export type Refused = {
  has(upstream: string, model: string, field: string): boolean
  note(upstream: string, model: string, field: string): void
}

export function createRefused(): Refused {
  // Upstreams and models come from the configuration and fields from a closed list: this cannot grow without bound.
  const known = new Set<string>()
  const nameOf = (upstream: string, model: string, field: string) => `${upstream} ${field} ${model}`
  return {
    has: (upstream, model, field) => known.size > 0 && known.has(nameOf(upstream, model, field)),
    note: (upstream, model, field) => void known.add(nameOf(upstream, model, field)),
  }
}

/** More careful than `isAbout`, for everyday words: they must be named as a field. */
export function isNamed({ message, param }: ErrorInfo, field: string): boolean {
  if (param === field) return true
  if (/[._]/.test(field)) return message.includes(field)
  return ["'", '"', '`'].some((quote) => message.includes(quote + field + quote))
}

/** Whether a refusal is about this field: it names it as a word of its own. */
export function isAbout({ message, param }: ErrorInfo, field: string): boolean {
  const last = field.slice(field.lastIndexOf('.') + 1)
  if (param !== undefined && (param === field || param.endsWith(`.${last}`) || param === last)) return true
  const at = message.indexOf(last)
  if (at === -1) return false
  const around = (message[at - 1] ?? ' ') + (message[at + last.length] ?? ' ')
  return !/[A-Za-z0-9_]/.test(around)
}
