import { useEffect, useId, useRef, useState } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { classes } from './classes.ts'
import { CONTROL } from './form/field.tsx'
import { Icon } from './icons.tsx'

const PAUSE_MS = 250
const MOST_CHARACTERS = 200

/** What is typed, at once; `onChange` is called when typing pauses. */
export function useTyped(value: string, onChange: (value: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(onChange, PAUSE_MS, typed)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return [typed, setTyped]
}

/** The search of a list; `/` focuses it. `onChange` is called when typing pauses. */
export function SearchField({
  value,
  onChange,
  label,
}: {
  value: string
  onChange(value: string): void
  label: string
}) {
  const { common } = useTexts()
  const [typed, setTyped] = useTyped(value, onChange)
  const ref = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      ref.current?.focus()
      ref.current?.select()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  return (
    <div className="relative w-full wide:w-64">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <span className="pointer-events-none absolute inset-y-0 left-2 grid place-items-center text-muted">
        <Icon name="search" />
      </span>
      <input
        ref={ref}
        id={id}
        type="search"
        value={typed}
        placeholder={label}
        title={common.searchHint}
        autoComplete="off"
        maxLength={MOST_CHARACTERS}
        aria-keyshortcuts="/"
        onChange={(event) => setTyped(event.target.value)}
        className={classes(CONTROL, 'h-8 pr-8 pl-8 pointer-coarse:h-10')}
      />
      {typed === '' && (
        <kbd className="pointer-events-none absolute inset-y-0 right-2 my-auto hidden h-5 items-center rounded-sm border px-1.5 font-mono text-xs text-muted wide:flex pointer-coarse:hidden">
          /
        </kbd>
      )}
    </div>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
