const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/** In milliseconds; undefined: not a time. Without a zone it is UTC: the server's time zone must not affect when a key expires. */
export function parseIsoTime(text: string): number | undefined {
  const [, day, clock, zone] = ISO_TIME.exec(text) ?? []
  const time = day === undefined ? Number.NaN : Date.parse(clock && !zone ? `${text}Z` : text)
  // Date.parse would silently turn 31 February into 3 March.
  const isReal = !Number.isNaN(time) && new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day
  return isReal ? time : undefined
}
