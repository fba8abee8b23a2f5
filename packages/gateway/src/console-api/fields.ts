// Checks the JSON that a route of the console API takes. A schema lists the allowed fields: any other field is rejected by its
// name. The first error wins, and no message repeats a value, which may be a secret.
import { badRequest, ConsoleRejection } from './rejection.ts'

/** Returns the checked value or throws a ConsoleRejection. `name`: of the field, for messages. */
export type Check<T> = (value: unknown, name: string) => T

type Optional<T> = { optional: Check<T> }
type FieldChecks = Readonly<Record<string, Check<unknown> | Optional<unknown>>>

type RequiredNames<F> = { [K in keyof F]: F[K] extends Optional<unknown> ? never : K }[keyof F]
type ValueOf<C> = C extends Optional<infer T> ? T : C extends Check<infer T> ? T : never
type Values<F> = { [K in RequiredNames<F>]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, RequiredNames<F>>]?: ValueOf<F[K]>
}

/** A field that may be absent. */
export const optional = <T>(check: Check<T>): Optional<T> => ({ optional: check })

/** An object with these fields and no others. */
export function fields<F extends FieldChecks>(checks: F): Check<Values<F>> {
  const names = Object.keys(checks)
  return (value, name) => {
    const path = (field: string) => (name === '' ? field : `${name}.${field}`)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw name === ''
        ? new ConsoleRejection({ code: 'bad_request', message: `The body must be a JSON object${listed(names)}.` })
        : badRequest(name, `${name} must be an object.`)
    }
    const unknown = Object.keys(value).find((field) => !names.includes(field))
    if (unknown !== undefined) {
      const shown = path(unknown).slice(0, 100)
      throw badRequest(shown, `Unknown field '${shown}'. The request takes ${names.join(', ') || 'no fields'}.`)
    }
    const read: Record<string, unknown> = {}
    for (const [field, check] of Object.entries(checks)) {
      const written: unknown = Object.hasOwn(value, field) ? Reflect.get(value, field) : undefined
      if (typeof check === 'function') read[field] = check(written, path(field))
      else if (written !== undefined) read[field] = check.optional(written, path(field))
    }
    return read as Values<F>
  }
}

const listed = (names: readonly string[]) => (names.length === 0 ? '' : ` with ${names.join(', ')}`)

/** A route that takes nothing: an empty object, or no body at all. */
export const NOTHING = fields({})

/** In characters as JavaScript counts them. */
export const text =
  ({ min = 1, max }: { min?: number; max: number }): Check<string> =>
  (value, name) => {
    if (typeof value === 'string' && value.length >= min && value.length <= max && value.isWellFormed()) return value
    throw badRequest(name, `${name} must be text of ${min} to ${max} characters.`)
  }

export const integer =
  ({ min, max }: { min: number; max: number }): Check<number> =>
  (value, name) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    throw badRequest(name, `${name} must be a whole number from ${min} to ${max}.`)
  }

export const boolean: Check<boolean> = (value, name) => {
  if (typeof value === 'boolean') return value
  throw badRequest(name, `${name} must be true or false.`)
}

export const word =
  <W extends string>(...words: readonly W[]): Check<W> =>
  (value, name) => {
    const found = words.find((each) => each === value)
    if (found !== undefined) return found
    throw badRequest(name, `${name} must be one of ${words.join(', ')}.`)
  }

export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, name) =>
    value === null ? null : check(value, name)

export const list =
  <T>(check: Check<T>, most: number): Check<T[]> =>
  (value, name) => {
    if (!Array.isArray(value) || value.length > most) {
      throw badRequest(name, `${name} must be a list of at most ${most} entries.`)
    }
    return value.map((each, index) => check(each, `${name}[${index}]`))
  }

/** Any JSON value: for handlers that check it themselves. */
export const anything: Check<unknown> = (value) => value
