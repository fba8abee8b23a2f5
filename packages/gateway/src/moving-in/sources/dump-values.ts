// Names and values as pg_dump and mysqldump write them.
import { SourceError, type SourceValue } from './source-database.ts'

/** `public."LiteLLM_Config"` -> `LiteLLM_Config`: the last part of a name. */
export function nameIn(text: string): string {
  const [last = text] = /(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|[^."`]+)$/.exec(text.trim()) ?? []
  if (last.startsWith('"')) return last.slice(1, -1).replaceAll('""', '"')
  return last.startsWith('`') ? last.slice(1, -1).replaceAll('``', '`') : last
}

export const namesIn = (list: string): string[] =>
  (list.match(/"(?:[^"]|"")+"|`(?:[^`]|``)+`|[^,\s"`]+/g) ?? []).map(nameIn)

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** A line of COPY in its text format. */
export const copiedValues = (line: string): SourceValue[] =>
  line.split('\t').map((value) => {
    if (value === '\\N') return null
    return value.includes('\\') ? value.replace(/\\(.)/g, (_, one: string) => ESCAPED[one] ?? one) : value
  })

const MYSQL_ESCAPED: Readonly<Record<string, string>> = { ...ESCAPED, '0': '\0', Z: '\x1a' }
const BARE = /[^,()\s';]+/y
const HEX = /^(?:0x|[xX]')([0-9a-f]*)'?$/i

/** The rows behind VALUES, from `start`. */
export function* insertedRows(statement: string, start: number, isMysql: boolean): Generator<SourceValue[]> {
  let at = start
  const fail = (): never => {
    throw new SourceError('The dump has an INSERT of another form.')
  }
  const skip = () => {
    while (/\s/.test(statement[at] ?? '')) at += 1
  }

  function quoted(): string {
    let text = ''
    let from = ++at
    for (; ; at++) {
      const character = statement[at]
      if (character === undefined) fail()
      if (character === '\\' && isMysql) {
        const one = statement[at + 1] ?? ''
        text += statement.slice(from, at) + (MYSQL_ESCAPED[one] ?? one)
        at += 1
        from = at + 1
      } else if (character === "'") {
        text += statement.slice(from, at)
        at += 1
        if (statement[at] !== "'") return text
        from = at
      }
    }
  }

  function value(): SourceValue {
    skip()
    if (statement[at] === "'") return quoted()
    BARE.lastIndex = at
    const [bare = ''] = BARE.exec(statement) ?? []
    if (bare === '') fail()
    at += bare.length
    if (bare === '_binary') {
      skip()
      return statement[at] === "'" ? new TextEncoder().encode(quoted()) : value()
    }
    if (/^[xX]$/.test(bare) && statement[at] === "'") return new Uint8Array(Buffer.from(quoted(), 'hex'))
    const hex = HEX.exec(bare)?.[1]
    if (hex !== undefined) return new Uint8Array(Buffer.from(hex, 'hex'))
    return bare.toUpperCase() === 'NULL' ? null : bare
  }

  for (;;) {
    skip()
    if (statement[at] !== '(') fail()
    const row: SourceValue[] = []
    do {
      at += 1
      row.push(value())
      skip()
    } while (statement[at] === ',')
    if (statement[at] !== ')') fail()
    at += 1
    yield row
    skip()
    if (statement[at] === ';' || at >= statement.length) return
    if (statement[at] !== ',') fail()
    at += 1
  }
}
