/** Resolves when other requests have had their turn: the embedded models run in the gateway's own process. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
