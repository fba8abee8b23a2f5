// Fields that an upstream's model has rejected although its dialect has them: some models accept no temperature, some services no
// end user. Learned from the rejection, so that only the first request needs a second attempt.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'

export type UnsupportedFields = {
  has(upstream: string, model: string, field: string): boolean
  /** All fields that this model has rejected. */
  of(upstream: string, model: string): ReadonlySet<string>
  note(upstream: string, model: string, field: string): void
}

export function createUnsupportedFields(): UnsupportedFields {
  // Upstreams and models come from the configuration and fields from a closed list: this cannot grow without bound.
  const known = new Map<string, Set<string>>()
  // The names of upstreams have no spaces.
  const nameOf = (upstream: string, model: string) => `${upstream} ${model}`
  // Called with every request, and mostly empty.
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

/** Stricter than `isAbout`, for common words: they must be named as a field. */
export function isNamed({ message, param }: ErrorInfo, field: string): boolean {
  if (param === field) return true
  if (/[._]/.test(field)) return message.includes(field)
  return ["'", '"', '`'].some((quote) => message.includes(quote + field + quote))
}

/** Whether a rejection names this field as a separate word. */
export function isAbout({ message, param }: ErrorInfo, field: string): boolean {
  const last = field.slice(field.lastIndexOf('.') + 1)
  if (param !== undefined && (param === field || param.endsWith(`.${last}`) || param === last)) return true
  const at = message.indexOf(last)
  if (at === -1) return false
  const around = (message[at - 1] ?? ' ') + (message[at + last.length] ?? ' ')
  return !/[A-Za-z0-9_]/.test(around)
}
