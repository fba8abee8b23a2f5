// Bars over time, stacked by series. One bar is in focus by pointer or by arrow keys, and its exact values stand below the chart; a
// table has all of them for screen readers.

import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useLanguage } from '../i18n/language.tsx'
import { classes } from '../ui/classes.ts'
import { axisRoom, labelled, ticksFor, tickText } from './scale.ts'
import type { Series } from './series.ts'

type Props = {
  label: string
  /** Beginnings of the steps, ISO 8601. */
  steps: readonly string[]
  formatStep(at: string): string
  series: readonly Series[]
  /** One per step, as exact text. */
  totals: readonly string[]
  /** What happened meanwhile, as marks on the axis; the page says the same in words. */
  marks?: readonly Mark[]
  /** Leads from a bar to what it counts, by a click or Enter. */
  onOpen?(step: string): void
}
type Mark = { at: string; isAlert: boolean; text: string }

const HEIGHT = 200
const BOTTOM = 24
const TOP = 8
/** The width of a character of the labels, in fonts that are wide. */
const LETTER_WIDTH = 6.6

export function StackedBars({ label, steps, formatStep, series, totals, marks = [], onOpen }: Props) {
  const { locale } = useLanguage()
  const [frame, width] = useWidth()
  const [chosen, setChosen] = useState<number>()
  const at = chosen !== undefined && chosen < steps.length ? chosen : steps.length - 1
  const sums = steps.map((_, step) => series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0))
  const ticks = ticksFor(Math.max(0, ...sums))
  const top = ticks.at(-1) || 1
  const axis = axisRoom(ticks.map((tick) => tickText(tick, locale)))
  const inner = { width: Math.max(0, width - axis), height: HEIGHT - BOTTOM - TOP }
  const y = (value: number) => TOP + inner.height * (1 - value / top)
  const slot = inner.width / Math.max(1, steps.length)
  const bar = Math.max(1, Math.min(48, slot * 0.7))
  const letters = Math.max(0, ...steps.map((step) => formatStep(step).length)) * LETTER_WIDTH
  // The last one may move to the left by half of its width, to stay within the chart.
  const hasLabel = labelled(steps.length, inner.width, Math.max(64, letters * 1.5 + 6))

  const open = () => steps[at] !== undefined && onOpen?.(steps[at])
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open()
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    setChosen(Math.min(steps.length - 1, Math.max(0, to)))
  }

  return (
    <figure className="min-w-0">
      <div ref={frame} className="h-[200px]">
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={label}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: its bars are reached by arrow keys.
            tabIndex={0}
            onKeyDown={move}
            onPointerMove={(event) => {
              const left = event.clientX - event.currentTarget.getBoundingClientRect().left - axis
              if (left >= 0) setChosen(Math.min(steps.length - 1, Math.floor(left / slot)))
            }}
            onClick={open}
            className={classes('block rounded-sm', onOpen && 'cursor-pointer')}
          >
            {ticks.map((tick) => (
              <g key={tick} className="text-muted">
                <line x1={axis} x2={width} y1={y(tick)} y2={y(tick)} className="stroke-line" />
                <text x={axis - 8} y={y(tick) + 4} textAnchor="end" fontSize="12" fill="currentColor">
                  {tickText(tick, locale)}
                </text>
              </g>
            ))}
            {steps.map((step, index) => {
              const left = axis + slot * index + (slot - bar) / 2
              let below = 0
              return (
                <g key={step} opacity={chosen === undefined || index === at ? 1 : 0.75}>
                  {index === chosen && (
                    <rect x={axis + slot * index} y={TOP} width={slot} height={inner.height} className="fill-raised" />
                  )}
                  {series.map(({ name, values, colour }) => {
                    const value = values[index] ?? 0
                    if (value <= 0) return null
                    const from = below
                    below += value
                    const height = Math.max(1, y(from) - y(below))
                    return (
                      <rect
                        key={name}
                        x={left}
                        y={y(below)}
                        width={bar}
                        height={height}
                        fill="currentColor"
                        className={colour}
                      />
                    )
                  })}
                  {hasLabel(index) && (
                    <text
                      x={Math.min(axis + slot * (index + 0.5), width - letters / 2)}
                      y={HEIGHT - 6}
                      textAnchor="middle"
                      fontSize="12"
                      fill="currentColor"
                      className="text-muted"
                    >
                      {formatStep(step)}
                    </text>
                  )}
                </g>
              )
            })}
            <Marks marks={marks} steps={steps} x={(place) => axis + slot * place} y={TOP + inner.height} />
          </svg>
        )}
      </div>
      <figcaption aria-hidden="true" className="mt-2 flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-sm">
        {steps[at] !== undefined && (
          <span className="text-muted">
            {formatStep(steps[at])}: <span className="text-ink">{totals[at]}</span>
          </span>
        )}
        {series.length > 1 &&
          series.map((each) => (
            <span key={each.name} className="inline-flex min-w-0 items-center gap-1.5">
              <span className={`size-2 shrink-0 rounded-full bg-current ${each.colour}`} />
              <span className="min-w-0 break-all text-muted">{each.label}</span> {each.shown[at]}
            </span>
          ))}
      </figcaption>
      <ValueTable label={label} steps={steps} formatStep={formatStep} series={series} totals={totals} />
    </figure>
  )
}

type MarksProps = { marks: readonly Mark[]; steps: readonly string[]; x(place: number): number; y: number }

/** `place`: in steps from the left. A triangle is an alert, a diamond a change. */
function Marks({ marks, steps, x, y }: MarksProps) {
  const [first, second] = steps.map((step) => Date.parse(step))
  if (first === undefined || second === undefined) return null
  return marks.map(({ at, isAlert, text }) => {
    const left = x(Math.min(steps.length, Math.max(0, (Date.parse(at) - first) / (second - first))))
    return (
      <path
        key={`${at} ${text}`}
        d={isAlert ? 'M0 -5 5 4H-5Z' : 'M0 -5 5 0 0 5 -5 0Z'}
        transform={`translate(${left} ${y})`}
        className={isAlert ? 'fill-danger stroke-surface' : 'fill-accent stroke-surface'}
      >
        <title>{text}</title>
      </path>
    )
  })
}

/** The same as text. */
function ValueTable({ label, steps, formatStep, series, totals }: Props) {
  return (
    // A table by itself ignores the size that hides it, and would widen the page.
    <div className="sr-only">
      <table>
        <caption>{label}</caption>
        <tbody>
          {steps.map((step, index) => (
            <tr key={step}>
              <th scope="row">{formatStep(step)}</th>
              <td>{totals[index]}</td>
              {series.length > 1 &&
                series.map((each) => (
                  <td key={each.name}>
                    {each.label}: {each.shown[index]}
                  </td>
                ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function useWidth(): [ref: React.RefObject<HTMLDivElement | null>, width: number] {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
