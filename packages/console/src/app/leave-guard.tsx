// Keeps what is shown only once, such as a new secret, on screen until the person has stored it, and what was typed into a form until
// it is saved. Whatever would leave it asks first: a link, Back, signing out, and (by the browser's own question) closing the tab.
//
// Back cannot be cancelled, so that a second entry of the same page is put into the browser's history: Back then leads from this
// entry to the page that is still on screen, which has time to ask. The entry stays: the next navigation replaces it, and Back
// passes over it.

import { useEffect, useSyncExternalStore } from 'react'
import type { AroundNavHandler } from 'wouter'
import { useTexts } from '../i18n/language.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'

/** The question, which names what is lost. */
export type Loss = { title: string; text: string /** It was typed, and can be typed again. */; isForm?: boolean }
type Asked = Loss & { leave(): void }

const EXTRA_ENTRY = { leaveGuard: true }
const isExtraEntry = (): boolean => Reflect.get(Object(window.history.state), 'leaveGuard') === true

let loss: Loss | undefined
let asked: Asked | undefined
let wasExtraEntry = isExtraEntry()
const listeners = new Set<() => void>()

function change(next: { loss?: Loss | undefined; asked?: Asked | undefined }): void {
  if ('loss' in next) loss = next.loss
  asked = next.asked
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const addExtraEntry = () => window.history.pushState(EXTRA_ENTRY, '', window.location.href)

window.addEventListener('popstate', () => {
  const isBack = wasExtraEntry && !isExtraEntry()
  wasExtraEntry = isExtraEntry()
  if (!isBack) return
  if (loss !== undefined) addExtraEntry()
  askToLeave(() => window.history.back())
})
// The router sends these for its own changes of the history and for those of others.
for (const name of ['pushState', 'replaceState'])
  window.addEventListener(name, () => {
    wasExtraEntry = isExtraEntry()
  })
window.addEventListener('beforeunload', (event) => {
  if (loss !== undefined) event.preventDefault()
})

/** Runs `leave`, after the person's consent if something would be lost. */
export function askToLeave(leave: () => void): void {
  if (loss === undefined) leave()
  else change({ asked: { ...loss, leave } })
}

/** For the router: every navigation goes through it. */
export const guardNavigation: AroundNavHandler = (navigate, to, options) => {
  const { pathname } = new URL(to, window.location.href)
  // The page stays, and with it what it shows.
  if (loss !== undefined && pathname === window.location.pathname)
    return navigate(to, { ...options, replace: true, state: EXTRA_ENTRY })
  askToLeave(() => navigate(to, isExtraEntry() ? { ...options, replace: true } : options))
}

/** While `question` is given, it is asked before the page is left. One component at a time may use it. */
export function useLeaveGuard(question: Loss | undefined): void {
  const { title, text, isForm = false } = question ?? {}
  useEffect(() => {
    if (title === undefined || text === undefined) return
    change({ loss: { title, text, isForm } })
    if (!isExtraEntry()) addExtraEntry()
    return () => change({ loss: undefined })
  }, [title, text, isForm])
}

/** Whether leaving the page would lose something. */
export const isGuarded = (): boolean => loss !== undefined
/** Whether it is something that is shown only once. */
export const useIsShownOnce = (): boolean =>
  useSyncExternalStore(subscribe, () => loss !== undefined && loss.isForm !== true)

/** For what is typed into a dialog: closing it asks first if something was typed. Returns what closes it. */
export function useFormGuard(isDirty: boolean, close: () => void): () => void {
  const { leave } = useTexts().common
  useLeaveGuard(isDirty ? { title: leave.form, text: leave.formText, isForm: true } : undefined)
  return () => askToLeave(close)
}

export function LeaveQuestion() {
  const { leave } = useTexts().common
  const question = useSyncExternalStore(subscribe, () => asked)
  if (!question) return null
  const confirm = () => {
    change({ loss: undefined })
    question.leave()
  }
  return (
    <ConfirmDialog
      open
      onClose={() => change({})}
      title={question.title}
      cancel={question.isForm ? leave.keep : leave.stay}
      action={question.isForm ? leave.discard : leave.leave}
      onConfirm={confirm}
    >
      <p>{question.text}</p>
    </ConfirmDialog>
  )
}
