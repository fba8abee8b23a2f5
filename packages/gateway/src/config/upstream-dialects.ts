// In which dialects an upstream can be asked, and for what.
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import type { ServiceId } from '../endpoints/index.ts'
import { type ModelType, modalityOf } from '../modalities/index.ts'
import type { ServiceEndpoint, Upstream } from './types.ts'
import { standardServices } from './upstream-kinds.ts'

const ALL = Object.keys(DIALECTS) as readonly DialectId[]
const ALL_SERVICES = standardServices()

/** What an upstream can be asked in. The sandbox speaks every dialect, unless the file names one. */
export function dialectsOf({ embedded, dialect, endpoints, images, videos }: Upstream): readonly DialectId[] {
  if (embedded && dialect === undefined) return ALL
  const spoken: DialectId[] = endpoints.map((endpoint) => endpoint.dialect)
  if (images) spoken.push('images')
  if (videos) spoken.push('video-tasks')
  if (embedded && dialect !== undefined) spoken.push(dialect)
  return [...new Set(spoken)]
}

/** The same for models of one type, in the modality's order of preference. A service is asked for in the chat dialect. */
export function dialectsFor(upstream: Upstream, type: ModelType): readonly DialectId[] {
  const { dialects, service } = modalityOf(type)
  const spoken = dialectsOf(upstream)
  const isServed = (dialect: DialectId): boolean =>
    dialect === 'chat' && service !== undefined ? serviceOf(upstream, service) !== undefined : spoken.includes(dialect)
  return dialects.filter(isServed)
}

/** undefined: the upstream has no such service. The sandbox has all, unless the file names a dialect without them. */
export function serviceOf({ embedded, dialect, services }: Upstream, id: ServiceId): ServiceEndpoint | undefined {
  const isWhole = embedded && (dialect === undefined || hasServices(dialect))
  return (isWhole ? ALL_SERVICES : services)?.[id]
}

/** Dialects of OpenAI's API, below whose base URL the services are. */
export const hasServices = (dialect: DialectId): boolean => dialect === 'chat' || dialect === 'responses'
