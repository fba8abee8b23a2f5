// What background responses depend on: as stored responses, as tasks, and as requests that this gateway runs.
import type { ConversationDependencies } from '../conversations/dependencies.ts'
import type { RequestObserver } from '../observe/request-observer.ts'
import type { ClaimDependencies } from '../paid-call/claim.ts'
import type { StreamTiming } from '../paid-call/writing/stream-timing.ts'
import type { SharedSlots } from '../sharing/shared-slots.ts'
import type { Settler } from '../storage/node/settler.ts'
import type { Storage } from '../storage/storage.ts'
import type { TaskWorkDependencies } from '../tasks/dependencies.ts'
import type { ReserveDependencies } from '../tasks/reserve.ts'
import type { TextDependencies } from '../text/journey.ts'
import type { RunClient } from './stored-request.ts'

export type BackgroundDependencies = ConversationDependencies &
  TaskWorkDependencies &
  ReserveDependencies &
  ClaimDependencies & {
    store: Pick<Storage, 'responses' | 'tasks' | 'ledger' | 'leases' | 'keys'>
    /** Slots of clients that read events. */
    followers: Pick<SharedSlots<never>, 'take'>
    streamTiming: Pick<StreamTiming, 'heartbeatMs'>
  }

export type ResponseTaskDependencies = BackgroundDependencies &
  TextDependencies & {
    settler: Pick<Settler, 'begin'>
    observers: readonly RequestObserver[]
    /** Responses that this process runs. */
    runningResponses: Map<bigint, RunClient>
  }
