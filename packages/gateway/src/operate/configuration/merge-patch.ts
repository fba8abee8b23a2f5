// JSON merge patch: absent = unchanged, null = removed, objects merge, lists and other values replace.

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(value) ? value : {}))
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), part))
  }
  return Object.fromEntries(merged)
}

/** The leaves of nested objects by their path: `{ server: { limits: { body: 1 } } }` -> `server.limits.body`. */
export function leavesOf(value: Readonly<Record<string, unknown>>, above = ''): [path: string, leaf: unknown][] {
  return Object.entries(value).flatMap(([name, part]): [string, unknown][] =>
    isObject(part) ? leavesOf(part, `${above}${name}.`) : [[`${above}${name}`, part]],
  )
}
