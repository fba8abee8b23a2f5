// docs/reference/api.md
import { adminRoutes } from '@trivium/gateway/admin-api/routes.ts'
import { CONSOLE_ROUTES } from '@trivium/gateway/console-api/routes.ts'
import { ENDPOINTS } from '@trivium/gateway/endpoints/index.ts'
import { UNSERVED_APIS, UNSERVED_VERBS, type UnservedFeature } from '@trivium/gateway/request/unserved-paths.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { type CallKind, type ModelCallKind, ROUTES, type Route } from '@trivium/protocol/routes.ts'
import type { Generated } from '../generated.ts'
import { code, codes, table, wrapped } from '../markdown.ts'

const file = 'docs/reference/api.md'

/** The sections of routes that call no model. */
const TITLES: Readonly<Record<Exclude<CallKind, ModelCallKind | 'count' | 'tasks' | 'stored'>, string>> = {
  models: 'Models',
  usage: 'Balance, usage and receipts',
  media: 'Stored images and videos',
  status: 'Status of the gateway',
  docs: 'Description of the API',
  console: 'Console',
  admin: 'Admin API',
}

/** Whose errors a path has. */
const VENDORS: Readonly<Record<DialectId, string>> = {
  chat: 'OpenAI',
  responses: 'OpenAI',
  images: 'OpenAI',
  messages: 'Anthropic',
  'generate-content': 'Google',
  'video-tasks': 'Ark',
}

const INSTEAD: Readonly<Record<UnservedFeature, string>> = {
  'Voices of your own are': 'the voices of the models ([audio](../use/audio.md))',
  'Batches are': 'single requests; for long ones, [background responses](../use/background.md)',
  'The realtime API is': 'Chat Completions or Responses as a stream',
  'Files are': 'the contents in the request itself',
  'Legacy completions of Anthropic are': '`POST /v1/messages`',
  'The Assistants API is': '`POST /v1/responses`',
  'Fine-tuning is': 'the fine-tuned model as a route of a model',
  'Vector stores are': '`POST /v1/embeddings` with a database of your own',
  'Image variations are': '`POST /v1/images/edits`',
  "OpenAI's video API is": '`POST /api/v3/contents/generations/tasks` ([videos](../use/videos.md))',
  'Stored conversations are': '`previous_response_id` ([conversations](../use/conversations.md))',
  'Containers are': '',
  'Evaluations are': '',
  'Skills are': '',
  'Administration of an organization is': 'the [admin API](../operate/admin-api.md)',
  'Cached contents are': 'the contents in the request itself',
  'Corpora and file search stores are': '`POST /v1/embeddings` with a database of your own',
  'Interactions are': 'generateContent',
  'The live API is': 'streamGenerateContent',
  'Compaction of responses is': 'a shorter input',
  'This part of the Ark API is': 'the same models by the paths of the other protocols',
  'Predictions are': '`POST /v1/images/generations`, or a video task',
  'Grounded answers are': 'generateContent',
}

/** By what models of a route produce, else by its kind. */
const sectionOf = ({ kind, modality }: Route): string =>
  modality === undefined ? TITLES[kind as keyof typeof TITLES] : ENDPOINTS[modality].title

/** These have tables of their own. */
const OWN_TABLES = [ROUTES['read-console-api'].path, ROUTES['read-admin-api'].path]

function routesText(): string {
  const all = Object.values<Route>(ROUTES).filter(
    ({ path }) => !OWN_TABLES.includes(path as (typeof OWN_TABLES)[number]),
  )
  return [...new Set(all.map(sectionOf))]
    .map((title) => {
      const rows = all.filter((route) => sectionOf(route) === title).map(rowOf)
      return `### ${title}\n\n${table(['Path', 'Key', 'Errors', 'What it does'], rows)}`
    })
    .join('\n\n')
}

const rowOf = ({ method, path, credential, dialect, summary }: Route): string[] => [
  code(`${method} ${path}`),
  credential === 'key' ? 'yes' : 'no',
  dialect ? VENDORS[dialect] : '',
  `${summary}.`,
]

/** Google's clients call other versions, too. */
function aliasesText(): string {
  const aliases = Object.values<Route>(ROUTES).flatMap((route) => route.aliases ?? [])
  const [versions, keys] = [
    aliases.map(({ path }) => code(path.replace(/\/models.*/, ''))),
    aliases.flatMap(({ header, query }) => [code(header), code(`?${query}=`)]),
  ].map((each) => [...new Set(each)])
  return wrapped(
    `Paths below \`/v1beta\` are also served below ${versions?.join(' and ')} if the key comes as ${keys?.join(' or ')}.`,
  )
}

function credentialsText(): string {
  const rows = Object.values(DIALECTS)
    .filter(({ id }, at, all) => all.findIndex((other) => VENDORS[other.id] === VENDORS[id]) === at)
    .map(({ id, credential: { headers } }) => [
      VENDORS[id],
      codes(
        headers.length > 0 ? headers.toReversed().map((name) => `${name}: sk-...`) : ['Authorization: Bearer sk-...'],
      ),
    ])
  return table(['Clients of', 'Header'], rows)
}

const adminText = (): string =>
  table(
    ['Path', 'Permission', 'What it does'],
    adminRoutes().map(({ method, path, policy, summary }) => [
      code(`${method} /admin/v1/${path}`),
      code(policy),
      `${summary}.`,
    ]),
  )

const NEEDS = { public: 'nothing', session: 'a session', member: 'a member', owner: 'an owner' } as const

const consoleText = (): string =>
  table(
    ['Path', 'Needs', 'What it does'],
    CONSOLE_ROUTES.map(({ method, path, policy, summary }) => [
      code(`${method} /console/api/${path}`),
      NEEDS[policy],
      `${summary}.`,
    ]),
  )

/** One version of Google's API stands for all. */
const shortened = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter((path) => !path.includes('/v1alpha/') && !path.startsWith('/upload'))

function unservedText(): string {
  const paths = new Map<UnservedFeature, string[]>()
  const add = (name: UnservedFeature, more: readonly string[]) => paths.set(name, [...(paths.get(name) ?? []), ...more])
  for (const [name, each] of UNSERVED_APIS) add(name, each)
  for (const [verb, name] of Object.entries(UNSERVED_VERBS)) add(name, [`/v1beta/models/{model}:${verb}`])
  return table(
    ['Feature', 'Paths', 'Use instead'],
    [...paths].map(([name, each]) => [
      name.replace(/ (is|are)$/, '').replace(/^This part of/, 'Other parts of'),
      codes(shortened(each)),
      INSTEAD[name],
    ]),
  )
}

export const API_PAGE: readonly Generated[] = [
  { file, section: 'credentials', text: credentialsText },
  { file, section: 'routes', text: routesText },
  { file, section: 'aliases', text: aliasesText },
  { file, section: 'unserved', text: unservedText },
  { file, section: 'admin', text: adminText },
  { file, section: 'console', text: consoleText },
]
