// One of many: a field that lists what contains the typed text. The list may come from the server, which knows all of them.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { classes } from '../classes.ts'
import { Icon } from '../icons.tsx'
import { CONTROL, Field, type Option } from './field.tsx'

/** `total`: how many match, if the options are only the first of them. undefined: still loading. */
export type Choices = { options: readonly Option[]; total: number } | undefined
/** A hook: what contains the typed text. It is called while the list is closed, too. */
export type UseChoices = (typed: string, isOpen: boolean) => Choices

type ComboboxProps = {
  label: string
  value: string
  /** How the value is shown. */
  shown: string
  onChange(value: string): void
  useChoices: UseChoices
  /** The choice of none, above all others, which stands for all of them. */
  all?: string
  hint?: string | undefined
  error?: string | undefined
}

export function Combobox({ label, value, shown, onChange, useChoices, all, hint, error }: ComboboxProps) {
  const { common } = useTexts()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const found = useChoices(isOpen ? typed : '', isOpen)
  const none = all !== undefined && typed === '' ? [{ value: '', label: all }] : []
  const options = [...none, ...(found?.options ?? [])]
  const current = Math.min(active, Math.max(0, options.length - 1))

  useEffect(() => {
    if (isOpen) list.current?.querySelector(`[data-index="${current}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [isOpen, current])

  const open = () => {
    if (isOpen) return
    setOpen(true)
    setTyped('')
    setActive(
      Math.max(
        0,
        options.findIndex((option) => option.value === value),
      ),
    )
  }
  const close = () => {
    setOpen(false)
    setTyped('')
  }
  const choose = (option: Option | undefined) => {
    if (option === undefined) return
    close()
    if (option.value !== value) onChange(option.value)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + 8, PageUp: current - 8 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      if (isOpen) setActive(Math.max(0, Math.min(options.length - 1, to)))
      else open()
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault()
      choose(options[current])
    } else if (event.key === 'Escape' && isOpen) {
      // Not for the dialog around it.
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }
  const more = (found?.total ?? 0) - (found?.options.length ?? 0)
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {(control) => (
        <div className="relative">
          <input
            {...control}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && options.length > 0 ? `${id}-${current}` : undefined}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            title={shown}
            value={isOpen ? typed : shown}
            placeholder={isOpen ? shown : undefined}
            onChange={(event) => {
              setOpen(true)
              setTyped(event.target.value)
              setActive(0)
            }}
            onClick={open}
            onBlur={close}
            onKeyDown={onKeyDown}
            className={classes(CONTROL, 'h-8 truncate px-2 pr-8 pointer-coarse:h-10')}
          />
          <span className="pointer-events-none absolute inset-y-0 right-2 grid place-items-center text-muted">
            <Icon name="down" />
          </span>
          {isOpen && (
            <div className="absolute inset-x-0 top-full z-30 mt-1 min-w-48 rounded-md border border-edge/50 bg-surface">
              <div
                ref={list}
                id={`${id}-list`}
                role="listbox"
                aria-label={label}
                className="max-h-64 overflow-y-auto p-1"
              >
                {options.map((option, index) => (
                  // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the active option.
                  // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field.
                  <div
                    key={option.value}
                    id={`${id}-${index}`}
                    data-index={index}
                    role="option"
                    aria-selected={option.value === value}
                    // The field keeps the focus.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => choose(option)}
                    className={classes(
                      'flex cursor-pointer items-center justify-between gap-2 rounded-sm px-2 py-1 wrap-anywhere hover:bg-raised pointer-coarse:py-2.5',
                      index === current && 'bg-raised',
                    )}
                  >
                    {option.label}
                    {option.value === value && <Icon name="check" />}
                  </div>
                ))}
              </div>
              <p role="status" className="px-3 pb-2 text-sm text-muted empty:hidden">
                {found === undefined
                  ? common.loading
                  : options.length === 0
                    ? common.noMatch
                    : more > 0
                      ? common.moreMatches(more)
                      : ''}
              </p>
            </div>
          )}
        </div>
      )}
    </Field>
  )
}
