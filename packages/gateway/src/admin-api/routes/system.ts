// The system itself: this process, what fills its disks, the checks of `doctor`, and a test of the mail server.
import { runDoctor } from '../../administration/doctor/doctor.ts'
import { testMail } from '../../administration/operating/mail-test.ts'
import { showSizes, showSystem } from '../../administration/operating/system.ts'
import { DOCTOR, MAIL_TEST, SIZES, SYSTEM } from '../../administration/resources/system.ts'
import type { AdminRoutes } from './route.ts'

export const SYSTEM_ROUTES = {
  'GET system': {
    operation: showSystem,
    summary: 'Shows the node that answers, with its certificates',
    output: SYSTEM,
  },
  'GET system/sizes': {
    operation: showSizes,
    summary: 'Shows about how much tables, folders and stored contents take; counted every few minutes',
    output: SIZES,
  },
  'GET system/doctor': {
    operation: runDoctor,
    summary: 'Checks the node that answers, and all that it needs',
    output: DOCTOR,
  },
  'POST mail/test': {
    operation: testMail,
    summary: 'Sends a test email, and shows the response of the mail server',
    output: MAIL_TEST,
    example: { body: { to: 'ada@example.com' } },
  },
} as const satisfies AdminRoutes
