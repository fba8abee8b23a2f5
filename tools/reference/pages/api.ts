// docs/reference/api.md
import { listAdminRoutes } from '@trivium/gateway/admin-api/list-routes.ts'
import { listConsoleRoutes } from '@trivium/gateway/console-api/list-routes.ts'
import { UNSERVED_APIS, UNSERVED_VERBS, type UnservedFeature } from '@trivium/gateway/request/unserved-paths.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { type CallKind, ROUTES, type Route } from '@trivium/protocol/routes.ts'
import type { Generated } from '../generated.ts'
import { code, codes, table } from '../markdown.ts'

const file = 'docs/reference/api.md'

/** The sections in which routes are listed, by what models of a route produce, else by its kind. */
const TITLES: Readonly<Record<Exclude<CallKind, 'count' | 'tasks' | 'stored'>, string>> = {
  text: 'Text',
  image: 'Images',
  video: 'Videos',
  speech: 'Speech',
  transcription: 'Transcription',
  embedding: 'Embeddings',
  rerank: 'Rerank',
  moderation: 'Moderation',
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
  'Legacy text completions are': '`POST /v1/chat/completions`',
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

const sectionOf = ({ kind, modality }: Route): string => TITLES[(modality ?? kind) as keyof typeof TITLES]

function routesText(): string {
  const all = Object.values<Route>(ROUTES)
  return [...new Set(Object.values(TITLES))]
    .map((title) => {
      const rows = all.filter((route) => sectionOf(route) === title).map(rowOf)
      return `### ${title}\n\n${table(['Path', 'Key', 'Errors', 'What it does'], rows)}`
    })
    .join('\n\n')
}

function rowOf({ method, path, aliases = [], credential, dialect, summary }: Route): string[] {
  const paths = [code(`${method} ${path}`), ...aliases.map((alias) => code(alias.path))].join(', ')
  return [paths, credential === 'key' ? 'yes' : 'no', dialect ? VENDORS[dialect] : '', `${summary}.`]
}

function credentialsText(): string {
  const rows = Object.values(DIALECTS)
    .filter(({ id }, at, all) => all.findIndex((other) => VENDORS[other.id] === VENDORS[id]) === at)
    .map(({ id, credential }) => [VENDORS[id], code(credential.example.replaceAll("'", ''))])
  return table(['Clients of', 'Header'], rows)
}

const adminText = (): string =>
  table(
    ['Path', 'Permission', 'What it does'],
    listAdminRoutes().map(({ method, path, permission, summary }) => [
      code(`${method} /admin/v1/${path}`),
      code(permission),
      `${summary}.`,
    ]),
  )

const NEEDS = { public: 'nothing', session: 'a session', member: 'a member', owner: 'an owner' } as const

const consoleText = (): string =>
  table(
    ['Path', 'Needs', 'What it does'],
    listConsoleRoutes().map(({ method, path, policy, summary }) => [
      code(`${method} /console/api/${path}`),
      typeof policy === 'string' ? NEEDS[policy] : `the permission ${code(policy.permission)}`,
      `${summary}.`,
    ]),
  )

function unservedText(): string {
  const paths = new Map<UnservedFeature, string[]>()
  const add = (name: UnservedFeature, more: readonly string[]) => paths.set(name, [...(paths.get(name) ?? []), ...more])
  for (const [name, each] of UNSERVED_APIS) add(name, each)
  for (const [verb, name] of Object.entries(UNSERVED_VERBS)) add(name, [`/v1beta/models/{model}:${verb}`])
  return table(
    ['Feature', 'Paths', 'Use instead'],
    [...paths].map(([name, each]) => [name.replace(/ (is|are)$/, ''), codes(each), INSTEAD[name]]),
  )
}

export const API_PAGE: readonly Generated[] = [
  { file, section: 'credentials', text: credentialsText },
  { file, section: 'routes', text: routesText },
  { file, section: 'unserved', text: unservedText },
  { file, section: 'admin', text: adminText },
  { file, section: 'console', text: consoleText },
]
