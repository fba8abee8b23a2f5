// Values as source text, quoted so that no value can end its literal.

/** For POSIX shells. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** Without quotes where the shell takes it literally. */
export const shellWord = (text: string): string => (/^[\w:/.@%+,-]+$/.test(text) ? text : shellQuote(text))

type Style = {
  text(value: string): string
  word(value: boolean | null): string
  name(value: string): string
  /** After the last entry of a list that spans several lines. */
  trailingComma: string
}

const PYTHON: Style = {
  // JSON's escapes are Python's, too.
  text: (value) => JSON.stringify(value),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  name: (value) => JSON.stringify(value),
  trailingComma: ',',
}

const JAVASCRIPT: Style = {
  text: (value) =>
    `'${JSON.stringify(value)
      .slice(1, -1)
      .replaceAll('\\"', '"')
      .replaceAll("'", "\\'")
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029')}'`,
  word: String,
  name: (value) => (/^[A-Za-z_$][\w$]*$/.test(value) ? value : JAVASCRIPT.text(value)),
  trailingComma: ',',
}

const JSON_STYLE: Style = { ...PYTHON, word: String, trailingComma: '' }

const WIDEST = 72

export const pythonLiteral = (value: unknown, indent = ''): string => literal(value, indent, PYTHON, '    ')
export const javascriptLiteral = (value: unknown, indent = ''): string => literal(value, indent, JAVASCRIPT, '  ')
export const jsonLiteral = (value: unknown, indent = ''): string => literal(value, indent, JSON_STYLE, '  ')

/** On one line where it fits. */
function literal(value: unknown, indent: string, style: Style, step: string): string {
  const line = oneLine(value, style)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= WIDEST) return line
  const inner = indent + step
  const entries = Array.isArray(value)
    ? value.map((each) => literal(each, inner, style, step))
    : entriesOf(value).map(([name, each]) => `${style.name(name)}: ${literal(each, inner, style, step)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${entries.map((entry) => inner + entry).join(',\n')}${style.trailingComma}\n${indent}${close}`
}

function oneLine(value: unknown, style: Style): string {
  if (typeof value === 'string') return style.text(value)
  if (typeof value === 'boolean' || value === null || value === undefined) return style.word(value ?? null)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map((each) => oneLine(each, style)).join(', ')}]`
  const entries = entriesOf(value).map(([name, each]) => `${style.name(name)}: ${oneLine(each, style)}`)
  if (entries.length === 0) return '{}'
  return style === JAVASCRIPT ? `{ ${entries.join(', ')} }` : `{${entries.join(', ')}}`
}

const entriesOf = (value: object): [string, unknown][] => Object.entries(value).filter(([, each]) => each !== undefined)
