// Settings, and the revisions of everything that is stored.
import { listRevisions, restoreRevision, showRevision } from '../../administration/configuration/revisions.ts'
import { changeSettings, showSettings } from '../../administration/configuration/settings.ts'
import { REVISION, REVISION_SHOWN, SETTINGS } from '../../administration/resources/configuration.ts'
import type { AdminRoutes } from './route.ts'

export const CONFIGURATION_ROUTES = {
  'GET settings': {
    operation: showSettings,
    summary: 'Shows the settings that are written, with their source',
    output: SETTINGS,
  },
  'PATCH settings': {
    operation: changeSettings,
    summary: 'Changes stored settings; null removes one',
    output: SETTINGS,
    example: { body: { registration: { open: false }, console: { name: 'Our gateway' } } },
  },
  'GET configuration/revisions': {
    operation: listRevisions,
    summary: 'Lists the revisions of the stored configuration',
    output: REVISION,
    list: true,
  },
  'GET configuration/revisions/{revision}': {
    operation: showRevision,
    summary: 'Shows a revision with what it changed',
    output: REVISION_SHOWN,
  },
  'POST configuration/revisions/{revision}/restore': {
    operation: restoreRevision,
    summary: 'Restores the stored configuration of a revision, as one more revision',
    output: REVISION_SHOWN,
    example: { body: { reason: 'the new price was wrong' } },
  },
} as const satisfies AdminRoutes
