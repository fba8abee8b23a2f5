// What is asked before a change, and what is said after it.

import type { ReactNode } from 'react'
import type { AnyChange, Change } from '../api/client.ts'
import type { ChangeMethod, DryRun, Path } from '../api/routes.ts'

export type AnyAct = AnyChange & Question
export type Act<M extends ChangeMethod, P extends Path<M>> = Change<M, P> & Question

type Question = {
  /** A question that names what it is about: "Disable the account ada@example.com?" */
  title: string
  text?: ReactNode
  /** The label of the button. */
  action: string
  /** What has happened. */
  done: string
  danger?: boolean
  /** Whether a reason must be given; `none`: it would say nothing. */
  reason?: 'required' | 'optional' | 'none'
  /** The dry run that a form has already made, to show mistakes beside its fields. */
  rehearsed?: DryRun
  /** Not shown, where the difference says less than the text. */
  hideChanges?: boolean
  /** What takes it back. */
  undo?: AnyAct
}
