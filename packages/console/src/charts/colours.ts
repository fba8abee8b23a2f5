// The colour of a series: the same model or key has the same one in every range and on every page. This browser remembers who was
// given which; what shares a chart with its namesake in colour gives way for the moment.

const STORED = 'trivium-colours'
const COLOURS = [
  'text-chart-1',
  'text-chart-2',
  'text-chart-3',
  'text-chart-4',
  'text-chart-5',
  'text-chart-7',
  'text-chart-8',
  'text-chart-9',
]
/** The colour of the sum of all others. */
export const OTHER_COLOUR = 'text-chart-6'
/** More names than anyone compares; the oldest are forgotten. */
const MOST_NAMES = 300

let given: Map<string, number> | undefined

function load(): Map<string, number> {
  try {
    const entries: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]')
    return new Map(Array.isArray(entries) ? (entries as [string, number][]) : [])
  } catch {
    return new Map()
  }
}

function indexOf(name: string): number {
  given ??= load()
  const known = given.get(name)
  if (known !== undefined) return known % COLOURS.length
  const counts = COLOURS.map((_, index) => [...(given?.values() ?? [])].filter((each) => each === index).length)
  const index = counts.indexOf(Math.min(...counts))
  given.set(name, index)
  localStorage.setItem(STORED, JSON.stringify([...given].slice(-MOST_NAMES)))
  return index
}

/** By name: of the series of one chart, in the order of their importance. */
export function coloursOf(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<number>()
  const pairs = names.map((name) => {
    let index = indexOf(name)
    for (let tries = 0; taken.has(index) && tries < COLOURS.length; tries++) index = (index + 1) % COLOURS.length
    taken.add(index)
    return [name, COLOURS[index] ?? OTHER_COLOUR] as const
  })
  return new Map(pairs)
}
