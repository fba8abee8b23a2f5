// Fields that an upstream's model has refused although its dialect has them: some models take no temperature, some
// services know no end users. Learned from the refusal, so that only the first request pays for it with a second try.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'

export type UnsupportedFields = {
  has(upstream: string, model: string, field: string): boolean
  /** All that this model has refused. */
  of(upstream: string, model: string): ReadonlySet<string>
  note(upstream: string, model: string, field: string): void
}

export function createUnsupportedFields(): UnsupportedFields {
  // Upstreams and models come from the configuration and fields from a closed list: this cannot grow without bound.
  const known = new Map<string, Set<string>>()
  // The names of upstreams have no spaces.
  const nameOf = (upstream: string, model: string) => `${upstream} ${model}`
  // Asked with every request, and mostly there is nothing.
  const of = (upstream: string, model: string): ReadonlySet<string> =>
    known.size === 0 ? NOTHING : (known.get(nameOf(upstream, model)) ?? NOTHING)
  return {
    of,
    has: (upstream, model, field) => of(upstream, model).has(field),
    note(upstream, model, field) {
      const name = nameOf(upstream, model)
      known.set(name, new Set(known.get(name)).add(field))
    },
  }
}

const NOTHING: ReadonlySet<string> = new Set()

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
