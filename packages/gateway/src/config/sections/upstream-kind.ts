// An upstream of a built-in kind: the settings of its kind, and those that the file overrides.
import { closestMatch } from '../../yaml/closest-match.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { type Fields, quote } from '../../yaml/fields.ts'
import { readText, readUrl, readWord, withoutTrailingSlash } from '../../yaml/scalars.ts'
import { SANDBOX_KIND } from '../sandbox.ts'
import type { Upstream, UpstreamDialect } from '../types.ts'
import { hasServices } from '../upstream-dialects.ts'
import { REGIONS, type Region, type UpstreamKind } from '../upstream-kinds.ts'
import { placedUrl, rejectPlaces } from './upstreams/place.ts'

/** Undefined if the kind does not exist; the mistake has been reported. */
export function readKind(
  value: YamlValue,
  kinds: ReadonlyMap<string, UpstreamKind>,
): UpstreamKind | typeof SANDBOX_KIND | undefined {
  const written = readText(value)
  if (written === undefined || written === SANDBOX_KIND) return written
  const kind = kinds.get(written)
  if (kind) return kind
  const known = [...kinds.keys(), SANDBOX_KIND]
  const guess = closestMatch(written, known)
  const hint = guess
    ? `did you mean ${guess}?`
    : `known kinds: ${known.join(', ')}; or remove kind and write dialect and base_url`
  addMistake(value, `unknown kind ${quote(written)}; ${hint}`)
  return undefined
}

type KindSettings = Pick<
  Upstream,
  | 'kind'
  | 'dialect'
  | 'baseUrl'
  | 'endpoints'
  | 'framing'
  | 'apiVersion'
  | 'lists'
  | 'images'
  | 'videos'
  | 'services'
  | 'service'
  | 'extraCapFields'
  | 'healthPath'
  | 'sellsManyVendors'
>

export function readKindSettings(fields: Fields, kind: UpstreamKind): KindSettings {
  const served = readServed(fields, kind)
  const readBase = (value: YamlValue) => readBaseUrl(value, kind)
  const usual = baseUrlIn(fields, kind)
  const baseUrl =
    usual !== undefined
      ? fields.optional('base_url', readBase, usual)
      : fields.required(
          'base_url',
          readBase,
          `${kind.name} needs your own URL, such as ${kind.example}${orPlace(kind)}`,
        )
  return { ...kindSettings(kind, baseUrl ?? '', served), ...apiVersionIn(fields, kind) }
}

const orPlace = ({ place }: UpstreamKind): string => (place ? `, or ${place.fields[0]} to derive it from` : '')

function apiVersionIn(fields: Fields, { kind, apiVersion }: UpstreamKind): Pick<Upstream, 'apiVersion'> {
  const field = fields.get('api_version')
  if (field && apiVersion === undefined) addMistake(field, `the kind ${kind} is called without an API version`)
  return apiVersion === undefined ? {} : { apiVersion: fields.optional('api_version', readApiVersion, apiVersion) }
}

/** It is part of every URL. */
function readApiVersion(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || /^[\w.-]{1,64}$/.test(text)) return text
  addMistake(value, `expected a version, such as 2024-10-21, not ${quote(text)}`)
  return undefined
}

/** The URL in the region that the file names; undefined: the file must give it. */
function baseUrlIn(fields: Fields, described: UpstreamKind): string | undefined {
  const { kind, baseUrl, mainland, place } = described
  rejectPlaces(fields, described)
  if (place) return placedUrl(fields, place)
  const field = fields.get('region')
  const region = fields.optional<Region>('region', readWord(REGIONS), 'international')
  if (field && !mainland) addMistake(field, `the kind ${kind} has no regions; write base_url if you need another URL`)
  else if (field && fields.get('base_url'))
    addMistake(field, 'base_url already says where it is; remove one of the two')
  return region === 'china' && mainland ? mainland.baseUrl : baseUrl
}

export function kindSettings(
  kind: UpstreamKind,
  baseUrl: string,
  { endpoints, images, videos, services }: Served = kind,
): KindSettings {
  const { service, extraCapFields, healthPath, sellsManyVendors, framing, lists } = kind
  const known = {
    ...(framing ? { framing } : {}),
    ...(lists ? { lists } : {}),
    ...(images ? { images } : {}),
    ...(videos ? { videos } : {}),
    ...(services ? { services } : {}),
    ...(service ? { service } : {}),
    ...(extraCapFields ? { extraCapFields } : {}),
    ...(healthPath ? { healthPath } : {}),
    ...(sellsManyVendors ? { sellsManyVendors } : {}),
  }
  return {
    kind: kind.kind,
    dialect: endpoints[0]?.dialect ?? (images ? 'images' : videos ? 'video-tasks' : services ? 'chat' : undefined),
    baseUrl,
    endpoints,
    ...known,
  }
}

type Served = Pick<Upstream, 'endpoints' | 'images' | 'videos' | 'services'>

/** `dialect` in the file restricts the upstream to it: some models do not support every dialect of their vendor. */
function readServed(fields: Fields, { endpoints, images, videos, services }: UpstreamKind): Served {
  const dialects: UpstreamDialect[] = endpoints.map(({ dialect }) => dialect)
  if (images) dialects.push('images')
  if (videos) dialects.push('video-tasks')
  if (services && endpoints.length === 0) dialects.push('chat')
  const only = fields.optional<UpstreamDialect | undefined>('dialect', readWord(dialects), undefined)
  const media = { ...(images ? { images } : {}), ...(videos ? { videos } : {}) }
  const others = services ? { services } : {}
  if (only === undefined) return { endpoints, ...media, ...others }
  if (only === 'images' && images) return { endpoints: [], images }
  if (only === 'video-tasks' && videos) return { endpoints: [], videos }
  return { endpoints: endpoints.filter(({ dialect }) => dialect === only), ...(hasServices(only) ? others : {}) }
}

function readBaseUrl(value: YamlValue, { kind, baseUrlSuffix, baseUrl, example }: UpstreamKind): string | undefined {
  const shown = baseUrl ?? example ?? 'https://api.example.com/v1'
  const url = readUrl(value, { credentials: false, example: shown })
  if (!url) return undefined
  const path = url.pathname.replace(/\/+$/, '')
  const isRight = baseUrlSuffix === '' ? !/\/v1$/.test(path) : path.endsWith(baseUrlSuffix ?? '')
  if (isRight) return withoutTrailingSlash(url)
  const rule = baseUrlSuffix === '' ? 'has no /v1 at its end' : `ends in ${baseUrlSuffix}`
  addMistake(value, `the base_url of kind ${kind} ${rule}, such as ${shown}`)
  return undefined
}
