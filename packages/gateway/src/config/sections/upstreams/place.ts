// Where a customer of a cloud is, and the base URL that follows from it.
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { entriesOf, type Fields, isMapValue, quote, type Reader } from '../../../yaml/fields.ts'
import { readText } from '../../../yaml/scalars.ts'
import { PLACE_FIELDS, type PlaceField, type UpstreamKind } from '../../upstream-kinds.ts'

type Place = NonNullable<UpstreamKind['place']>

/** Part of a host name, or of a path: anything else could lead to another host. */
const FORMS: Readonly<Record<PlaceField, [form: RegExp, example: string]>> = {
  region: [/^[a-z0-9-]{1,63}$/, 'us-east-1'],
  location: [/^[a-z0-9-]{1,63}$/, 'europe-west1'],
  resource: [/^[a-z0-9-]{1,63}$/i, 'my-resource'],
  project: [/^[a-z0-9][a-z0-9.:-]{1,99}$/, 'my-project'],
}

const readPlace =
  (name: PlaceField): Reader<string> =>
  (value) => {
    const text = readText(value)
    const [form, example] = FORMS[name]
    if (text === undefined || form.test(text)) return text
    addMistake(value, `expected the name of a ${name}, such as ${example}, not ${quote(text)}`)
    return undefined
  }

/** Those that this kind does not have. The two regions of some vendors are another matter. */
export function rejectPlaces(fields: Fields, { kind, place }: Pick<UpstreamKind, 'kind' | 'place'>): void {
  for (const name of PLACE_FIELDS) {
    const field = fields.get(name)
    if (!field || place?.fields.includes(name) || (name === 'region' && !place)) continue
    addMistake(field, `the kind ${kind} has no ${name}; remove it`)
  }
}

/** undefined: the file does not say where. */
export function placedUrl(fields: Fields, { fields: names, baseUrl }: Place): string | undefined {
  const written = fields.get('base_url')
  const found: Partial<Record<PlaceField, string>> = {}
  for (const name of names) {
    const field = fields.get(name)
    if (field && written) addMistake(field, 'base_url already says where it is; remove one of the two')
    const text = fields.optional<string | undefined>(name, readPlace(name), undefined) ?? inAuth(fields, name)
    if (text !== undefined) found[name] = text
  }
  const [first = 'region'] = names
  if (written) return undefined
  // What is wrong with it has been said.
  if (found[first] === undefined) return fields.get(first) ? '' : undefined
  const { location = 'global', region = '' } = found
  const values = { ...found, location, host: vertexHost(location), amazonaws: amazonDomain(region) }
  return baseUrl.replace(/\{(\w+)\}/g, (_, name: string) => values[name as keyof typeof values] ?? '')
}

/** What authorises the requests can name it, too. */
function inAuth(fields: Fields, name: PlaceField): string | undefined {
  const auth = fields.get('auth')
  const [, value] = (auth && isMapValue(auth) ? entriesOf(auth, '') : []).find(([each]) => each === name) ?? []
  return value && readPlace(name)(value as YamlValue)
}

function vertexHost(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com'
  if (location === 'us' || location === 'eu') return `aiplatform.${location}.rep.googleapis.com`
  return `${location}-aiplatform.googleapis.com`
}

const amazonDomain = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com')
