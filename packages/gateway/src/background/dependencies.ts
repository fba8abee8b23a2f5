// What background responses depend on: as stored responses, as tasks, and as requests that this gateway runs.
import type { ResponseEndpointDependencies } from '../conversations/endpoints.ts'
import type { RequestObserver } from '../observe/request-observer.ts'
import type { SharedSlots } from '../sharing/shared-slots.ts'
import type { Settler } from '../storage/node/settler.ts'
import type { Storage } from '../storage/storage.ts'
import type { TaskWorkDependencies } from '../tasks/dependencies.ts'
import type { TextCallDependencies } from '../text/dependencies.ts'
import type { PreparedElsewhere } from '../text/text-call.ts'
import type { ResponseNews } from './news.ts'
import type { RunClient } from './stored-request.ts'

export type BackgroundDependencies = TaskWorkDependencies &
  ResponseEndpointDependencies &
  TextCallDependencies & {
    store: Pick<Storage, 'keys'>
    settler: Pick<Settler, 'begin'>
    observers: readonly RequestObserver[]
    /** Slots of clients that read events. */
    followers: Pick<SharedSlots<never>, 'take'>
    responseNews: ResponseNews
    /** Responses that this process runs. */
    runningResponses: Map<bigint, RunClient>
  }

export type ResponseTaskDependencies = BackgroundDependencies & PreparedElsewhere
