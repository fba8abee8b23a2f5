// docs/reference/clients.md, and the set-up of each client on the pages of docs/use/.

import exhaustivePackage from '../../../exhaustive/package.json' with { type: 'json' }
import rootPackage from '../../../package.json' with { type: 'json' }
import { CLIENTS, protocolsOf, snippetFor } from '../../../packages/console/src/snippets/clients/index.ts'
import type { Client, Connection, Protocol, SnippetPart } from '../../../packages/console/src/snippets/types.ts'
import { AGENTS } from '../../agents/agents.ts'
import type { Generated } from '../generated.ts'
import { code, table, wrapped } from '../markdown.ts'

const BASE_URL = 'http://127.0.0.1:3333'
const SECRET = 'sk-...'

/** By the vendors' own names. */
const NAMES: Partial<Record<Protocol, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages',
  'generate-content': 'generateContent',
}

export function setUpOf(id: string, protocol?: Protocol): string {
  const client = CLIENTS.find((each) => each.id === id)
  if (!client) throw new Error(`There is no client ${id}.`)
  const { parts } = snippetFor({
    client,
    protocol: protocol ?? protocolsOf(client)[0] ?? 'chat',
    model: 'sandbox-text',
    baseUrl: BASE_URL,
    secret: SECRET,
    prompt: 'Hello',
  })
  return parts.map((part) => markdownOf(part, client)).join('\n\n')
}

function markdownOf(part: SnippetPart, client: Client): string {
  if (part.kind === 'install') return `Install: ${code(part.code)}`
  if (part.kind === 'form')
    return `${wrapped(part.where.en)}\n\n${table(
      ['Field', 'Value'],
      part.fields.map(({ label, value }) => [label.en, code(value)]),
    )}`
  if (part.kind === 'file') {
    const block = fenced(part.language, part.code)
    return `In ${code(part.path)}:\n\n${part.language === 'json' ? `<!-- checked by: exhaustive/console/snippets.test.ts -->\n${block}` : block}`
  }
  if (part.kind === 'terminal') {
    const reason = part.code.startsWith('curl') ? '' : `<!-- not run: needs ${client.name} -->\n`
    return `${reason}${fenced('sh', part.code)}`
  }
  if (part.language === 'js') return fenced('js', part.code)
  return `<!-- not run: the package is not on npm -->\n${fenced(part.language, part.code)}`
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

function rowOf(client: Client, { title, protocols, path, settings, tested }: Connection): string[] {
  if (!settings) return []
  const named = protocols.flatMap((protocol) => NAMES[protocol] ?? [])
  return [
    title ?? client.name,
    named.join(', '),
    `${code(settings.baseUrl)}: ${code(BASE_URL + path)}`,
    code(settings.key),
    code(settings.model),
    settings.place,
    testedText(tested),
  ]
}

function testedText({ package: name, agents, version, date }: NonNullable<Connection['tested']> = {}): string {
  if (name !== undefined) return `by the tests, with ${versionsOf(name).join(', ')}`
  if (agents !== undefined) return `by \`npm run agents\`, with ${AGENTS[agents]?.version}`
  return version === undefined ? 'not run' : `run by hand with ${version} on ${date}`
}

/** Those that are installed: a package may be there several times, as `NAME-MAJOR`. */
function versionsOf(name: string): string[] {
  const found = [...Object.entries(rootPackage.devDependencies), ...Object.entries(exhaustivePackage.devDependencies)]
    .filter(([key]) => key === name || (key.startsWith(`${name}-`) && /^\d+$/.test(key.slice(name.length + 1))))
    .map(([, version]) => version.split('@').at(-1) ?? version)
  if (found.length === 0) throw new Error(`no package.json of the tests has ${name}, so no test can run it.`)
  return found
}

const KINDS = { sdk: 'sdks', framework: 'frameworks', agent: 'coding-agents', chat: 'chat-applications' } as const
const HEADINGS = ['Client', 'Protocol', 'Base URL', 'Key', 'Model', 'Where', 'Tested']

const tableOf = (kind: keyof typeof KINDS): string =>
  table(
    HEADINGS,
    CLIENTS.filter((client) => client.kind === kind).flatMap((client) =>
      client.connections.map((connection) => rowOf(client, connection)).filter(({ length }) => length > 0),
    ),
  )

/** The page of docs/use/ that shows a client in a protocol; `section` names both. */
const shown = (file: string, ...sections: readonly string[]): Generated[] =>
  sections.map((section) => {
    const [id = '', protocol] = section.split(' ')
    return { file: `docs/use/${file}.md`, section, text: () => setUpOf(id, protocol as Protocol | undefined) }
  })

const LANGUAGES = ['javascript', 'python', 'go', 'java']
const inEach = (protocol: string): string[] => LANGUAGES.map((language) => `${language} ${protocol}`)
const idsOf = (kind: Client['kind']): string[] => CLIENTS.filter((client) => client.kind === kind).map(({ id }) => id)

export const CLIENT_PAGES: readonly Generated[] = [
  ...Object.entries(KINDS).map(
    ([kind, section]): Generated => ({
      file: 'docs/reference/clients.md',
      section,
      text: () => tableOf(kind as keyof typeof KINDS),
    }),
  ),
  ...shown('openai-sdks', 'curl chat', ...inEach('chat'), ...inEach('responses').slice(0, 2)),
  ...shown('anthropic-sdks', 'curl messages', ...inEach('messages')),
  ...shown('google-sdks', 'curl generate-content', ...inEach('generate-content')),
  ...shown('frameworks', ...idsOf('framework')),
  // The form of Roo Code is that of Cline.
  ...shown('coding-agents', ...idsOf('agent').filter((id) => id !== 'roo-code')),
  ...shown('chat-applications', ...idsOf('chat')),
]
