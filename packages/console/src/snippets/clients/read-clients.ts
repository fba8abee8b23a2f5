// Clients whose set-up is text with placeholders, from the files beside this one. Lines of a file that begin with @ say what follows:
//
//   @client ID NAME                      what stands before its first @connect is part of all of its connections
//   @calls-from container|vendor
//   @connect PROTOCOL,... HOST/v1 TITLE  a connection, with the base URL that the client is given
//   @settings BASE_URL | KEY | MODEL | WHERE
//   @tested package|agents NAME, or version NAME on DATE
//   @with NAME VALUE                     a value for placeholders; {{version}} is that of @tested
//   @install COMMAND, @terminal, @code LANGUAGE, @file LANGUAGE PATH, @form: a part of the snippet
//   @only PROTOCOL,... LINE              a line of a part that other protocols do not have
//
// {{base}}, {{secret}}, {{model}} and {{prompt}} are replaced; {{js model}} by a literal, {{sh openai/ model}} with a prefix inside.
import { javascriptLiteral, jsonLiteral, pythonLiteral, shellWord } from '../literals.ts'
import type { Client, ClientKind, CodeLanguage, Connection, FileLanguage, SnippetPart, Tested } from '../types.ts'

const STYLES: Readonly<Record<string, (text: string) => string>> = {
  sh: shellWord,
  js: javascriptLiteral,
  python: pythonLiteral,
  // Escapes of JSON are those of TOML, YAML, Go and Java, too, for what these texts can contain.
  json: jsonLiteral,
}

export const VARIABLES = {
  OPENAI: 'the code, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`',
  ANTHROPIC: 'the code, or `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`',
  GOOGLE: 'the code, or `GOOGLE_GEMINI_BASE_URL` and `GEMINI_API_KEY`',
}

type Values = Readonly<Record<string, string>>
/** `word`: what it says, such as `code`; `rest`: of its first line. */
type Block = { word: string; rest: string; lines: string[] }

export const readClients = (kind: ClientKind, text: string): Client[] =>
  groupsOf(blocksOf(text), 'client').map(([head, ...blocks]) => {
    const [id, name] = split(head.rest)
    const from = blocks.find(({ word }) => word === 'calls-from')?.rest
    const shared = blocks
      .slice(
        0,
        blocks.findIndex(({ word }) => word === 'connect'),
      )
      .filter(isPart)
    const connections = groupsOf(blocks, 'connect').map((group) => connectionOf(group, shared))
    return { id, name, kind, ...(from === undefined ? {} : { callsFrom: from as 'container' | 'vendor' }), connections }
  })

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  for (const line of text.split('\n')) {
    const [, word, rest = ''] = /^@(?!only )(\S+) ?(.*)$/.exec(line) ?? []
    if (word === undefined) blocks.at(-1)?.lines.push(line)
    else blocks.push({ word, rest, lines: [] })
  }
  return blocks
}

/** Each from a block with this word to the next one. */
function groupsOf(blocks: readonly Block[], word: string): [Block, ...Block[]][] {
  const groups: [Block, ...Block[]][] = []
  for (const block of blocks)
    if (block.word === word) groups.push([block])
    else groups.at(-1)?.push(block)
  return groups
}

/** The first word, and what follows it. */
function split(text: string): [string, string] {
  const [word = ''] = text.split(' ', 1)
  return [word, text.slice(word.length + 1)]
}

const isPart = ({ word }: Block): boolean => ['install', 'terminal', 'code', 'file', 'form'].includes(word)

function connectionOf([head, ...blocks]: readonly [Block, ...Block[]], shared: readonly Block[]): Connection {
  const [protocols, where] = split(head.rest)
  const [url, title] = split(where)
  const restOf = (word: string) => blocks.find((block) => block.word === word)?.rest
  const [baseUrl = '', key = '', model = '', place = ''] = restOf('settings')?.split(' | ') ?? []
  const tested = testedOf(...split(restOf('tested') ?? ''))
  const own = blocks.filter(({ word }) => word === 'with').map(({ rest }) => split(rest))
  const version = tested?.version?.split(' ').at(-1) ?? ''
  const variables: Values = VARIABLES
  const parts = [...shared, ...blocks.filter(isPart)]
  return {
    ...(title === '' ? {} : { title }),
    protocols: protocols.split(',') as Connection['protocols'],
    path: url.slice('HOST'.length),
    settings: { baseUrl, key, model, place: variables[place] ?? place },
    ...(tested ? { tested } : {}),
    parts({ protocol, base, secret, model, prompt }) {
      const values = { ...Object.fromEntries(own), version, base, secret, model, prompt }
      return parts.map((part) => partOf(part, protocol, values))
    },
  }
}

function testedOf(how: string, what: string): Tested | undefined {
  if (how !== 'version') return how === '' ? undefined : { [how]: what }
  const [version = '', date = ''] = what.split(' on ')
  return { version, date }
}

function partOf({ word, rest, lines }: Block, protocol: string, values: Values): SnippetPart {
  const shown = lines.flatMap((line) => {
    const [, only, text = ''] = /^@only (\S+) (.*)$/.exec(line) ?? []
    return only === undefined ? [line] : only.split(',').includes(protocol) ? [text] : []
  })
  const code = filled(shown.join('\n').trimEnd(), values)
  if (word === 'form') return formOf(lines, values)
  if (word === 'install') return { kind: 'install', code: filled(rest, values) }
  const [language, path] = split(rest)
  if (word === 'file') return { kind: 'file', path, language: language as FileLanguage, code }
  return word === 'code' ? { kind: 'code', language: language as CodeLanguage, code } : { kind: 'terminal', code }
}

const filled = (text: string, values: Values): string =>
  text.replace(/\{\{(?:(sh|js|python|json) )?(?:([^\s{}]+) )?(\w+)\}\}/g, (_, style, prefix = '', name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`there is no value ${name}`)
    return STYLES[style]?.(prefix + value) ?? prefix + value
  })

/** Its lines are `where: TEXT`, and the label of each value. A text without a translation is the same in both languages. */
function formOf(lines: readonly string[], values: Values): SnippetPart {
  const texts = lines.flatMap((line) => {
    const [, name, en, zh = en] = /^(\w+): (.*?)(?: \|\| (.*))?$/.exec(line) ?? []
    return name && en && zh ? [{ name, text: { en, zh } }] : []
  })
  const [where, ...labels] = texts
  if (where?.name !== 'where') throw new Error('a form begins with where it is')
  return {
    kind: 'form',
    where: where.text,
    fields: labels.map(({ name, text }) => ({ label: text, value: values[name] ?? '' })),
  }
}
