// docs/reference/upstream-kinds.md
import type { UpstreamKind } from '@trivium/gateway/config/upstream-kinds.ts'
import { MODEL_TYPES } from '@trivium/gateway/modalities/index.ts'
import { CERTIFICATES, testedWith } from '@trivium/gateway/upstreams/certified/index.ts'
import { KINDS } from '@trivium/gateway/upstreams/kinds/index.ts'
import { readPriceList } from '@trivium/gateway/upstreams/prices/price-list.ts'
import type { Generated } from '../generated.ts'
import { code, codes, table } from '../markdown.ts'

const ALL = [...KINDS.values()]

const HEADERS: Readonly<Record<string, string>> = {
  bearer: 'Authorization: Bearer',
  google: 'Authorization: Bearer, or x-goog-api-key',
}

function kindRow(kind: UpstreamKind): string[] {
  const { endpoints, baseUrl, mainland, example, keyless, place } = kind
  const sent = endpoints.map(({ credential }) => HEADERS[credential] ?? credential)
  const requires = [
    ...(keyless ? [] : ['`keys`']),
    ...(baseUrl === undefined ? [place ? `${codes(place.fields)}, or \`base_url\`` : '`base_url`'] : []),
  ]
  const tested = testedWith(kind)
  return [
    code(kind.kind),
    `[${kind.name}](${kind.source})`,
    endpoints.length > 0 ? codes(endpoints.map(({ dialect }) => dialect)) : 'none: services only',
    mainland ? `${baseUrl}; \`region: china\`: ${mainland.baseUrl}` : (baseUrl ?? `yours, such as ${example}`),
    requires.join(', ') || 'nothing',
    codes([...new Set(sent.length > 0 ? sent : ['Authorization: Bearer'])]),
    CERTIFICATES.some((each) => each.kind === kind.kind) ? `[${tested}](certified.md)` : tested,
  ]
}

/** Any upstream of responses can also be asked for its image tool, which few have: the page says so. */
function mediaRow({ kind, images, videos, services, endpoints }: UpstreamKind): string[] {
  const google = endpoints.some(({ dialect }) => dialect === 'generate-content') ? code('generate-content') : ''
  return [
    code(kind),
    images ? code('images') : google,
    videos ? code('video-tasks') : google,
    Object.keys(services ?? {}).join(', '),
  ]
}

const differences = (): string[][] =>
  ALL.flatMap(({ kind, services = {} }) =>
    Object.entries(services).flatMap(([service, { names = {}, lacks = [] }]) => {
      const renamed = Object.entries(names).map(([field, name]) => `${code(field)} as ${code(String(name))}`)
      return renamed.length + lacks.length > 0 ? [[code(kind), service, renamed.join(', '), codes(lacks)]] : []
    }),
  )

const fromEnvironment = (): string[][] =>
  readPriceList().vendors.flatMap(({ variable, models }) =>
    variable === undefined
      ? []
      : MODEL_TYPES.flatMap((type) => {
          const ids = models.filter((model) => model.type === type).map(({ id }) => id)
          return ids.length > 0 ? [[code(variable), type, codes(ids)]] : []
        }),
  )

const file = 'docs/reference/upstream-kinds.md'

export const UPSTREAM_KINDS_PAGE: readonly Generated[] = [
  {
    file,
    section: 'kinds',
    text: () =>
      table(
        [
          'Kind',
          'Service and its documentation',
          'Text protocols',
          'Base URL',
          'Requires',
          'Key sent as',
          'Tested with',
        ],
        ALL.map(kindRow),
      ),
  },
  {
    file,
    section: 'other models',
    text: () =>
      table(
        ['Kind', 'Images by', 'Videos by', 'Services'],
        ALL.map(mediaRow).filter((row) => row.slice(1).some((cell) => cell !== '')),
      ),
  },
  {
    file,
    section: 'fields of services',
    text: () => table(['Kind', 'Service', 'Sent under another name', 'Not sent'], differences()),
  },
  {
    file,
    section: 'models of variables',
    text: () => table(['Variable', 'Type', 'Models'], fromEnvironment()),
  },
]
