// When a signed URL of a vendor expires. Vendors say so in its query, in one of a few ways.

/** Vendors document a day where the URL does not tell. */
const DAY_MS = 24 * 3_600_000
const SIGNED = /^x-(?:amz|tos|goog|oss)-(date|expires)$/i

/** Milliseconds since 1970. `finishedAt`: when the URL was first seen. */
export function urlExpiry(url: string, finishedAt: number): number {
  const latest = finishedAt + DAY_MS
  if (!URL.canParse(url)) return latest
  const { searchParams } = new URL(url)
  let [date, seconds] = [Number.NaN, Number.NaN]
  for (const [name, value] of searchParams) {
    const signed = SIGNED.exec(name)?.[1]?.toLowerCase()
    if (signed === 'date') date = Date.parse(value.replace(BASIC_DATE, '$1-$2-$3T$4:$5:$6Z'))
    else if (signed === 'expires') seconds = Number(value)
  }
  const absolute = Number(
    searchParams.get('Expires') ?? searchParams.get('expires') ?? searchParams.get('exp') ?? Number.NaN,
  )
  const expiry = [date + seconds * 1_000, absolute * 1_000].find((at) => at > 0)
  // A figure that is not a time in the next days is something else.
  return expiry !== undefined && expiry > finishedAt && expiry < finishedAt + 30 * DAY_MS ? expiry : latest
}

const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
