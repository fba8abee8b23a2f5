// How much each scenario does: `small` is the sample in `npm run test:all`, for at most 20 s each; `full` is `npm run torture`.
export type Size = 'small' | 'full'

export const SIZES = {
  small: {
    kills: { sqlite: 2, postgres: 2 },
    imageKills: 6,
    videoKills: 6,
    conversationKills: 3,
    /** Video tasks on two nodes, and for how long they are open. */
    openTasks: 200,
    openTasksMs: 10_000,
    outages: 1,
    /** How long a node is stopped, beyond what it takes to reap its requests. */
    freezeMs: 0,
    raceRounds: 1,
    racedRequests: 40,
    /** Byte offsets of a response at which clients disconnect, spread over all of it. */
    disconnects: 6,
    translatedDisconnects: 3,
    agentRounds: 1,
    longResponses: 8,
    batchRounds: 3,
    ledgerRows: { sqlite: 40_000, postgres: 50_000 },
    ledgerRounds: 2,
    ledgerRequests: 500,
    /** Histories of the ledger in the simulation. */
    histories: 500,
    /** Mistakes in the ledger and the prices, spread over all of them. */
    mutants: 12,
    configuration: { changes: 30, requestsPerSecond: 30, kills: 2 },
  },
  full: {
    kills: { sqlite: 200, postgres: 50 },
    imageKills: 50,
    videoKills: 100,
    conversationKills: 100,
    openTasks: 2_000,
    openTasksMs: 60_000,
    outages: 10,
    freezeMs: 60_000,
    raceRounds: 50,
    racedRequests: 500,
    disconnects: Number.POSITIVE_INFINITY,
    translatedDisconnects: 400,
    agentRounds: 10,
    longResponses: 40,
    batchRounds: 50,
    ledgerRows: { sqlite: 10_000_000, postgres: 10_000_000 },
    ledgerRounds: 9,
    ledgerRequests: 5_000,
    histories: 20_000,
    mutants: Number.POSITIVE_INFINITY,
    configuration: { changes: 500, requestsPerSecond: 200, kills: 50 },
  },
} as const satisfies Record<Size, object>
