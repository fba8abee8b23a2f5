// Whether what a page shows is what a command printed. Figures, ids and times differ from run to run; words do not.

const VARIES = /\d|\.\.\./

/** The first place where `shown` is not in `real`; undefined: there is none. Fields and elements that are not shown do not matter. */
export function jsonDifference(shown: unknown, real: unknown, path = '$'): string | undefined {
  if (shown === '...') return undefined
  if (typeof shown === 'string' && typeof real === 'string')
    return VARIES.test(shown) || shown === real ? undefined : `${path}: ${JSON.stringify(real)}`
  if (shown === null || real === null || typeof shown !== 'object' || typeof real !== 'object')
    return typeof shown === typeof real &&
      (typeof shown !== 'boolean' || shown === real) &&
      (shown === null) === (real === null)
      ? undefined
      : `${path}: ${JSON.stringify(real)}`
  if (Array.isArray(shown) !== Array.isArray(real)) return `${path}: ${JSON.stringify(real)}`
  for (const [name, value] of Object.entries(shown)) {
    if (Array.isArray(shown) && value === '...') continue
    if (!(name in real)) return `${path}.${name} is missing`
    const difference = jsonDifference(value, (real as Record<string, unknown>)[name], `${path}.${name}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** The first JSON value in an output, which may have headers before it or other commands' output around it. */
export function jsonIn(output: string): unknown {
  const begin = output.search(/^[[{]/m)
  if (begin < 0) return undefined
  const text = output.slice(begin)
  for (let end = text.length; end > 0; end = text.lastIndexOf(text.startsWith('[') ? ']' : '}', end - 2) + 1) {
    try {
      return JSON.parse(text.slice(0, end))
    } catch {}
  }
  return undefined
}

/** Lines that are shown and not in the output. */
export const missingLines = (shown: string, output: string): string[] =>
  shown.split('\n').filter((line) => line.trim() !== '' && !patternOf(line).test(output))

function patternOf(line: string): RegExp {
  const words = line
    .trim()
    .split(/\s+/)
    .map((word) => {
      if (word === '...') return '.*'
      return /\d/.test(word) ? '\\S+' : word.split('...').map(escaped).join('\\S*')
    })
  return new RegExp(`^\\s*${words.join('\\s+')}\\s*$`, 'm')
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
