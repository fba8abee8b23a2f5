// Changes as JSON merge patches: absent is unchanged, null is removed, objects merge, and lists replace. Pure.

export type Patch = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Patch =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The patch that makes `after` of `before`: for a change, and the other way round for its undoing. */
export function patchBetween(before: Patch, after: Patch): Patch {
  const patch: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[name] ?? null, after[name] ?? null]
    if (isSame(from, to)) continue
    patch[name] = isObject(from) && isObject(to) ? patchBetween(from, to) : to
  }
  return patch
}

/** `2` in a file and `"2"` in a form are the same amount. */
function isSame(from: unknown, to: unknown): boolean {
  if (isObject(from) && isObject(to)) return Object.keys(patchBetween(from, to)).length === 0
  if (typeof from === 'number' || typeof to === 'number') return String(from) === String(to)
  return JSON.stringify(from) === JSON.stringify(to)
}

/** The object with a part of it changed: `timeouts.total`. */
export function withPart(body: Patch, name: string, value: unknown): Patch {
  const [first = '', ...rest] = name.split('.')
  const part = rest.length === 0 ? value : withPart(Object(body[first] ?? {}), rest.join('.'), value)
  return { ...body, [first]: part }
}

export const isEmpty = (patch: Patch): boolean => Object.keys(patch).length === 0
