// What a metric is, and one process's values of all of them. Every metric has a bound on its series: names that callers invent, and
// catalogues of any size, end in a series whose labels are `other`.

/** `usd`: the values are nano-USD, exact, and shown as decimal USD. */
export type Metric = {
  name: string
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
  mostSeries: number
  /** Of several processes; counters and histograms are always added. */
  merge: 'sum' | 'max'
  usd: boolean
  /** Upper limits of a histogram, without the last, which is infinite. */
  buckets: readonly number[]
}

/** `counts`: of a histogram, one more than it has limits; `value` is the sum then. */
export type Series = { labels: readonly string[]; value: number | bigint; counts: number[] | undefined }

export const OTHER = 'other'

const SEPARATOR = '\u0000'

export class Values {
  readonly metric: Metric
  readonly #series = new Map<string, Series>()

  constructor(metric: Metric) {
    this.metric = metric
  }

  add(amount: number | bigint, ...labels: string[]): void {
    const series = this.#of(labels)
    if (typeof series.value === 'bigint') series.value += BigInt(amount)
    else series.value += Number(amount)
  }

  /** Of a gauge. */
  set(value: number | bigint, ...labels: string[]): void {
    this.#of(labels).value = value
  }

  /** Of a histogram. */
  observe(value: number, ...labels: string[]): void {
    const series = this.#of(labels)
    const { buckets } = this.metric
    let place = 0
    while (place < buckets.length && value > (buckets[place] ?? 0)) place += 1
    if (series.counts) series.counts[place] = (series.counts[place] ?? 0) + 1
    series.value = (series.value as number) + value
  }

  /** Gauges of what may have gone, such as an upstream, are set anew at each scrape. */
  clear(): void {
    this.#series.clear()
  }

  get series(): Iterable<Series> {
    return this.#series.values()
  }

  #of(labels: readonly string[]): Series {
    const key = labels.length === 1 ? (labels[0] ?? '') : labels.join(SEPARATOR)
    return this.#series.get(key) ?? this.#added(key, labels)
  }

  #added(key: string, labels: readonly string[]): Series {
    const { mostSeries, labels: names, kind, usd, buckets } = this.metric
    // The last place is kept for the others.
    if (this.#series.size >= mostSeries - 1 && labels.some((label) => label !== OTHER))
      return this.#of(names.map(() => OTHER))
    const counts = kind === 'histogram' ? new Array<number>(buckets.length + 1).fill(0) : undefined
    const series: Series = { labels, value: usd ? 0n : 0, counts }
    this.#series.set(key, series)
    return series
  }
}
