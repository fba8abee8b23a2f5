// Where the choices of a combobox come from.

import { useEffect, useState } from 'react'
import { useRead } from '../../api/queries.ts'
import type { Choices, UseChoices } from './combobox.tsx'

/** Texts that are known already. */
export const choicesIn =
  (texts: readonly string[]): UseChoices =>
  (typed) => {
    const found = texts.filter((text) => text.toLowerCase().includes(typed.trim().toLowerCase()))
    return { options: found.map((text) => ({ value: text, label: text })), total: found.length }
  }

/** All models that the account may call, by name. */
export const useModelChoices: UseChoices = (typed, isOpen) => {
  const search = usePaused(typed)
  const { data } = useRead('model-names', { search }, { enabled: isOpen, keepPrevious: true, staleTime: 60_000 })
  return data && { options: data.items.map((id) => ({ value: id, label: id })), total: data.total }
}

/** All keys of the account, deleted ones included, by their ids. */
export const useKeyChoices: UseChoices = (typed, isOpen): Choices => {
  const name = usePaused(typed)
  const { data } = useRead('keys', { name }, { enabled: isOpen, keepPrevious: true, staleTime: 15_000 })
  return data && { options: data.items.map(({ id, name }) => ({ value: id, label: name })), total: data.total }
}

const PAUSE_MS = 150

/** The text once typing pauses. */
export function usePaused(typed: string): string {
  const [paused, setPaused] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(setPaused, typed === '' ? 0 : PAUSE_MS, typed)
    return () => clearTimeout(timer)
  }, [typed])
  return paused
}
