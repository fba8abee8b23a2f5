// What serves a route, and what it is given.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import type { MasterSecrets } from './access/secrets/master-secrets.ts'
import type { AdminDispatch } from './admin-api/dispatch.ts'
import type { ResponseTaskDependencies } from './background/dependencies.ts'
import type { Dispatch } from './console-api/dispatch.ts'
import type { ConsoleFiles } from './console-files/serve-console.ts'
import type { ImageDependencies } from './images/dependencies.ts'
import type { ClusterStatus } from './jobs/watch-nodes.ts'
import type { MediaDependencies } from './media/serve-media.ts'
import type { Spool } from './media/spool.ts'
import type { ErrorCounts } from './observe/error-counts.ts'
import type { Latencies } from './observe/latency-buckets.ts'
import type { Metrics } from './observe/metrics/names.ts'
import type { Scrape } from './observe/metrics/scrape.ts'
import type { UpstreamMeasures } from './observe/metrics/upstream-measures.ts'
import type { RejectedRequestCounts } from './observe/rejected-requests.ts'
import type { RequestObserver } from './observe/request-observer.ts'
import type { Tracer } from './observe/traces/tracer.ts'
import type { ApiDocuments } from './openapi/serve-documents.ts'
import type { Reads } from './overload/reads/reads.ts'
import type { UsageDependencies } from './paid-call/receipts/usage-endpoint.ts'
import type { ApiRequest } from './request/api-request.ts'
import type { Ids } from './request/ids.ts'
import type { Journal } from './storage/node/journal.ts'
import type { Node } from './storage/node/node.ts'
import type { CountDependencies } from './token-counting/ask-upstream.ts'
import type { TranscriptionDependencies } from './transcription/transcription-call.ts'
import type { Credentials } from './upstreams/credentials/index.ts'
import type { VideoDependencies } from './videos/dependencies.ts'

export type GatewayDependencies = ResponseTaskDependencies &
  CountDependencies &
  ImageDependencies &
  VideoDependencies &
  TranscriptionDependencies &
  UsageDependencies &
  MediaDependencies & {
    ids: Ids
    observers: readonly RequestObserver[]
    /** Absent: tracing is off. */
    tracer?: Tracer | undefined
    spool: Spool
    latencies: Latencies
    rejectedRequests: RejectedRequestCounts
    errorCounts: ErrorCounts
    upstreamMeasures: UpstreamMeasures
    reads: Reads
    metrics: Metrics
    journal: Pick<Journal, 'pending'>
    node: Pick<Node, 'commitsLostAt'>
    secrets: MasterSecrets
    credentials: Credentials
  }

export type App = (http: HttpRequest) => HttpResponse | Promise<HttpResponse>

export type AppDependencies = GatewayDependencies & {
  consoleApi: Dispatch
  adminApi: AdminDispatch
  consoleFiles: ConsoleFiles
  apiDocuments: ApiDocuments
  scrape: Scrape
}

/** The state of the process. Shown without a key: nothing in it is secret. */
export type ProcessHealth = {
  ready(): boolean
  accepting(): boolean
  /** Absent in the only node of its store. */
  clusterStatus?(): ClusterStatus
}

/** `app`: for requests that an endpoint makes to others on behalf of its caller. */
export type Server = ProcessHealth & { app: App }

/** By the ids of the protocol's table. */
export type Handlers = Readonly<Record<string, Handler>>

/** `parameter`: the text at the place of the path's parameter, still percent-encoded. */
export type Handler = (
  incoming: ApiRequest,
  deps: AppDependencies,
  parameter: string,
  server: Server,
) => HttpResponse | Promise<HttpResponse>
