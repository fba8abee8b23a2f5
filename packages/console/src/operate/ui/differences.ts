// The fields in which two JSON values differ. Pure.

export type Difference = { path: string; from: string | undefined; to: string | undefined }

/** What a field is called: `upstream/openai.keys` is one of a thing, whose id may have dots; `price.cached_input` is one in another. */
export function fieldName(path: string, names: Readonly<Record<string, string>>): string {
  const nameOf = (part: string) => names[part] ?? part.replace(/_usd$/, '').replaceAll('_', ' ')
  const [, kind, field = ''] = /^(\w+)\/(.+)$/.exec(path) ?? []
  if (kind !== undefined) return kind === 'setting' ? field : `${nameOf(kind)} ${field}`
  const [first = '', ...within] = (names[path] ?? path).split('.')
  const last = within.pop()
  // What is in between may be an id.
  const parts = [nameOf(first), within.join('.'), ...(last === undefined ? [] : [nameOf(last)])]
  return parts.filter((part) => part !== '').join(': ')
}

/** Lists are compared as a whole: their entries have no names. */
export function differences(before: unknown, after: unknown): Difference[] {
  const [from, to] = [flattened(before), flattened(after)]
  const paths = [...new Set([...from.keys(), ...to.keys()])]
  return paths
    .map((path) => ({ path, from: from.get(path), to: to.get(path) }))
    .filter((each) => each.from !== each.to)
    .map(withoutFingerprints)
}

/** As the gateway writes a secret, perhaps with its last characters: `hmac:RjK2s9UEFSr9C_vh ...9999`. */
const SECRET = /^hmac:\S+( \.\.\.\S+)?$/

/** Lists of secrets are reduced to those that come or go, by their last characters. */
function withoutFingerprints({ path, from, to }: Difference): Difference {
  const sides = [from, to].map((side) => side?.split(', ') ?? [])
  if (!sides.flat().every((each) => SECRET.test(each) || each === '[]')) return { path, from, to }
  const [gone, come] = sides.map((side, index) =>
    side
      .filter((each) => SECRET.test(each) && !sides[1 - index]?.includes(each))
      .map((each) => SECRET.exec(each)?.[1]?.trim() ?? '...'),
  )
  return { path, from: gone?.join(', ') || undefined, to: come?.join(', ') || undefined }
}

function flattened(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  if (value === null || value === undefined) {
    if (path !== '' && value === null) found.set(path, 'null')
  } else if (typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, part] of Object.entries(value)) flattened(part, path === '' ? name : `${path}.${name}`, found)
  } else {
    found.set(path, written(value))
  }
  return found
}

/** Short lists of plain values as people write them, anything else as JSON. */
function written(value: unknown): string {
  if (typeof value !== 'object') return String(value)
  const isPlain = Array.isArray(value) && value.every((entry) => typeof entry !== 'object')
  return isPlain ? (value as unknown[]).join(', ') || '[]' : JSON.stringify(value)
}
