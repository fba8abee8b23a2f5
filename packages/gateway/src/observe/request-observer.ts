// What happens to requests is told to a list of observers; the request log is one of them.
import type { RequestRecord } from './request-record.ts'

export type RequestObserver = {
  /** It shows who sent a request: the address and the program. Both are left out of records that nobody shows. */
  readonly showsClients?: boolean
  /** The response has ended, and its record is complete. */
  ended(record: RequestRecord): void
  /** So many requests were rejected by load shedding. */
  shed(count: number): void
  /** A request was not valid HTTP, or its head arrived too slowly. */
  malformed(): void
}

/** One observer that tells all of them. */
export function tellAll(observers: readonly RequestObserver[]): RequestObserver {
  return {
    showsClients: observers.some(({ showsClients }) => showsClients),
    ended(record) {
      for (const observer of observers) observer.ended(record)
    },
    shed(count) {
      for (const observer of observers) observer.shed(count)
    },
    malformed() {
      for (const observer of observers) observer.malformed()
    },
  }
}
