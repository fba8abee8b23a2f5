const DAY_MS = 86_400_000

/** The beginning of a day (UTC) so many days ago, as the API takes it. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** The last days (UTC), the oldest first, today included. */
export const lastDays = (days: number): string[] => Array.from({ length: days }, (_, at) => daysAgo(days - 1 - at))
