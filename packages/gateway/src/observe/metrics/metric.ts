// What a metric is, and one process's values of all of them. Every metric has a bound on its series: names that callers invent, and
// catalogues of any size, end in a series whose labels are `other`.

/** `usd`: the values are nano-USD, exact, and shown as decimal USD. */
export type Metric = {
  name: string
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
  /** Values of its only label that are there from the start. */
  known: readonly string[]
  mostSeries: number
  /** How the values of several processes become one; counters and histograms are always added. */
  merge: 'sum' | 'max' | 'min'
  usd: boolean
  /** Upper limits of a histogram, without the last, which is infinite. */
  buckets: readonly number[]
}

/** `counts`: of a histogram, one more than it has limits; `value` is the sum then. */
export type Series = { labels: readonly string[]; value: number | bigint; counts: number[] | undefined }

/** What is counted under one set of labels. Who counts often keeps it: to find it costs more than to count. */
export class Counter implements Series {
  readonly labels: readonly string[]
  readonly #buckets: readonly number[]
  value: number | bigint
  counts: number[] | undefined

  constructor({ kind, usd, buckets }: Metric, labels: readonly string[]) {
    this.labels = labels
    this.#buckets = buckets
    this.value = usd ? 0n : 0
    this.counts = kind === 'histogram' ? new Array<number>(buckets.length + 1).fill(0) : undefined
  }

  add(amount: number | bigint): void {
    if (typeof this.value === 'bigint') this.value += BigInt(amount)
    else this.value += Number(amount)
  }

  /** Only a histogram observes. */
  observe(value: number): void {
    const limits = this.#buckets
    let place = 0
    while (place < limits.length && value > (limits[place] ?? 0)) place += 1
    if (this.counts) this.counts[place] = (this.counts[place] ?? 0) + 1
    this.value = (this.value as number) + value
  }
}

export const OTHER = 'other'

/** By the first label, then by the second, and so on: a lookup makes no text of them, which would cost more than all else. */
type Level = Map<string, Level | Counter>

export class Values {
  readonly metric: Metric
  readonly #levels: Level = new Map()
  #series: Counter[] = []

  constructor(metric: Metric) {
    this.metric = metric
    this.#start()
  }

  /** What counts begins at 0, so that its first event is an increase. A gauge that is not known is absent. */
  #start(): void {
    const { kind, labels, known } = this.metric
    if (kind === 'gauge') return
    if (labels.length === 0) this.#added([])
    for (const label of known) this.#added([label])
  }

  add(amount: number | bigint, ...labels: string[]): void {
    this.of(labels).add(amount)
  }

  /** Only gauges are set. */
  set(value: number | bigint, ...labels: string[]): void {
    this.of(labels).value = value
  }

  /** Only histograms observe. */
  observe(value: number, ...labels: string[]): void {
    this.of(labels).observe(value)
  }

  /** Gauges of what may have gone, such as an upstream, are set anew at each scrape. */
  clear(): void {
    this.#levels.clear()
    this.#series = []
  }

  get series(): Iterable<Series> {
    return this.#series
  }

  /** Who counts often keeps what is found. `labels` is not kept: it can be filled anew for each count. */
  of(labels: readonly string[]): Counter {
    let found: Level | Counter | undefined = labels.length === 0 ? this.#series[0] : this.#levels
    for (let place = 0; place < labels.length && found; place++) found = (found as Level).get(labels[place] as string)
    return (found as Counter | undefined) ?? this.#added([...labels])
  }

  #added(labels: readonly string[]): Counter {
    const { mostSeries, labels: names } = this.metric
    // The last place is kept for the others.
    if (this.#series.length >= mostSeries - 1 && labels.some((label) => label !== OTHER))
      return this.of(names.map(() => OTHER))
    const series = new Counter(this.metric, labels)
    this.#series.push(series)
    let level = this.#levels
    for (const label of labels.slice(0, -1)) {
      const next = (level.get(label) ?? new Map()) as Level
      level.set(label, next)
      level = next
    }
    level.set(labels.at(-1) ?? '', series)
    return series
  }
}
