// Where clouds list what an account may use: beside the paths of a dialect, and often on another host.
import type { Upstream } from '../../config/types.ts'

type Page = Readonly<Record<string, unknown>>
/** `base`: the model behind an opaque name. */
export type ListedName = { name: string; base?: string }

/** `first`: the query of the first page; `next`: that of the page that follows, undefined if there is none. */
export type ModelSource = {
  upstream: Upstream
  path: string
  first: string
  next?(page: Page): string | undefined
  /** undefined: this is no such list. */
  read(page: Page): ListedName[] | undefined
}

/** One after the other. Empty: the upstream lists its models as its dialect does. */
export const cloudLists = (upstream: Upstream): readonly ModelSource[] =>
  upstream.lists === undefined ? [] : LISTS[upstream.lists](upstream)

const LISTS: Readonly<Record<NonNullable<Upstream['lists']>, (upstream: Upstream) => ModelSource[]>> = {
  'foundation-models': (upstream) => [foundationModels(upstream), inferenceProfiles(upstream)],
  publishers: (upstream) => [publisherModels(upstream)],
  deployments: (upstream) => [namedDeployments(upstream)],
}

/** Without the framing, whose paths these are not. */
function at({ framing: _framing, ...upstream }: Upstream, path: string, origin = originOf(upstream)): Upstream {
  return { ...upstream, baseUrl: origin + path }
}

const originOf = ({ baseUrl }: Pick<Upstream, 'baseUrl'>): string => new URL(baseUrl).origin

/** The models of the service are served by one host, and listed by another. */
const controlOf = (upstream: Upstream): Upstream =>
  at(upstream, '', originOf(upstream).replace('//bedrock-runtime', '//bedrock'))

/** Claude has kinds of its own. */
const isServed = ({ framing }: Upstream, model: string): boolean =>
  framing === undefined || model.includes('anthropic.')

const foundationModels = (upstream: Upstream): ModelSource => ({
  upstream: controlOf(upstream),
  path: '/foundation-models',
  first: '?byOutputModality=TEXT',
  read: (page) =>
    entriesOf(page.modelSummaries)?.flatMap(({ modelId: name, inferenceTypesSupported: types }) =>
      typeof name === 'string' && isServed(upstream, name) && Array.isArray(types) && types.includes('ON_DEMAND')
        ? [{ name }]
        : [],
    ),
})

/** Profiles of the service have names that say which model they are; those of an account have only their ARN. */
const inferenceProfiles = (upstream: Upstream): ModelSource => ({
  upstream: controlOf(upstream),
  path: '/inference-profiles',
  first: '?maxResults=1000',
  next: ({ nextToken: token }) =>
    typeof token === 'string' && token !== '' ? `?maxResults=1000&nextToken=${encodeURIComponent(token)}` : undefined,
  read: (page) =>
    entriesOf(page.inferenceProfileSummaries)?.flatMap((profile) => {
      const [first] = entriesOf(profile.models) ?? []
      const base = /foundation-model\/(.+)$/.exec(String(first?.modelArn ?? ''))?.[1]
      const isOwn = profile.type === 'APPLICATION'
      const name = isOwn ? profile.inferenceProfileArn : profile.inferenceProfileId
      if (typeof name !== 'string' || !isServed(upstream, base ?? name)) return []
      return [{ name, ...(isOwn && base !== undefined ? { base } : {}) }]
    }),
})

function publisherModels(upstream: Upstream): ModelSource {
  const publisher = upstream.framing === 'raw-predict' ? 'anthropic' : 'google'
  return {
    upstream: at(upstream, '/v1beta1'),
    path: `/publishers/${publisher}/models`,
    first: '?pageSize=100',
    next: ({ nextPageToken: token }) =>
      typeof token === 'string' && token !== '' ? `?pageSize=100&pageToken=${encodeURIComponent(token)}` : undefined,
    read: (page) =>
      entriesOf(page.publisherModels)?.flatMap(({ name, versionId: version }) => {
        const id = typeof name === 'string' ? name.replace(/^publishers\/[^/]+\/models\//, '') : ''
        // Versions of Claude are dates; those of Gemini are part of the name.
        const dated = typeof version === 'string' && /^\d{8}$/.test(version) && !id.includes('@')
        return id === '' ? [] : [{ name: dated ? `${id}@${version}` : id }]
      }),
  }
}

const namedDeployments = (upstream: Upstream): ModelSource => ({
  upstream: at(upstream, ''),
  path: '/openai/deployments',
  first: '?api-version=2023-03-15-preview',
  read: (page) =>
    entriesOf(page.data)?.flatMap(({ id: name, model: base }) =>
      typeof name === 'string' && typeof base === 'string' ? [{ name, ...(base === name ? {} : { base }) }] : [],
    ),
})

const entriesOf = (list: unknown): Page[] | undefined =>
  Array.isArray(list) ? list.filter((entry): entry is Page => typeof entry === 'object' && entry !== null) : undefined
